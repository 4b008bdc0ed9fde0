//! An RV32 core: registers, instructions, traps, and control and status registers.
//!
//! - [`Core`] is the state, [`Config`] what was fixed when the core was made: its instructions, its control registers,
//!   what of them can be read and written.
//! - `exec`: what an instruction does, by kind. `csr`: the control and status registers. `trap`: into a handler, and back.
//!   `quirks`: what a family of cores does in its own way. [`mmu`]: from an instruction's address to the one on the bus. [`pmp`]: who may go there.
//! - [`Core::step`] executes one instruction, or takes a trap, without time.
//! - [`Hart`] is the core in time: `timing` holds the pipelines, clocked as the Verilog is, `engine` executes the program as they
//!   ask for it and announces what retires.

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
