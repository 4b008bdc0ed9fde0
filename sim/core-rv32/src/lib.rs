//! An RV32 core: registers, instructions, traps, and control and status registers.
//!
//! - [`Core`] is the state. [`Config`] has the fixed properties: instructions, control registers, and the access to them.
//! - `exec`: the effects of instructions, by kind. `csr`: the control and status registers. `trap`: trap entry and return. `quirks`:
//!   deviations of families of cores. [`mmu`]: translation from an instruction's address to the bus address. [`pmp`]: protection.
//! - [`Core::step`] executes one instruction, or takes a trap, without timing.
//! - [`Hart`] is the timed core: `timing` holds the pipelines, clocked like the Verilog; `engine` executes the program at their request and
//!   emits the retired instructions.

mod config;
mod core;
mod csr;
mod engine;
mod exec;
pub mod mmu;
pub mod pmp;
mod quirks;
mod reserved;
pub mod timing;
mod trap;

pub use crate::core::{Core, NotModelled, Step};
pub use config::{
    Access, Config, Family, Protection, Timing, Translation, aquila, ibex, manual, picorv32, vexriscv,
};
pub use csr::Csrs;
pub use engine::{Debugger, ExceptionRecord, Hart, Line, Record, Retirement, Snapshot, Stop, Taken, Written};
pub use trap::{Cause, Interrupt, Privilege, Trap};
