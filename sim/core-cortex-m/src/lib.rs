//! A Cortex-M core: registers, instructions, exceptions, system peripherals, and their timing.
//!
//! The parts, from the inside out:
//! - [`Registers`] and `exec`: the effect of an instruction. A handler reports run-time facts and knows no cycles.
//! - `fp`: single-precision arithmetic, bit for bit.
//! - `access`: loads and stores to memory or the private peripheral bus, and their faults.
//! - `sys`: NVIC, SCB, SysTick, MPU, DWT, ITM; `exception`: entry, return, priorities.
//! - `timing`: named rules for the cost of everything.
//! - `block` and `engine`: blocks of instructions, decoded and timed once, and the loop that executes them.
//! - `state`: what the engine keeps between two instructions.

mod access;
mod block;
mod config;
mod core;
mod cores;
mod engine;
mod exception;
mod exec;
mod fault;
mod fp;
mod host;
mod microop;
mod regs;
mod stack;
mod state;
pub mod sys;
#[cfg(test)]
mod testing;
pub mod timing;

pub use crate::config::{Config, Debugger, Options};
pub use crate::core::Core;
pub use crate::cores::{Architecture, CoreKind, CoreRow, Revision, Silicon};
pub use engine::{Asleep, HeldBack, Stop};
pub use exec::Effect;
pub use fault::{Fault, FaultRecord, NotModelled};
pub use fp::Fpscr;
pub use host::{FaultStatus, Snapshot};
pub use regs::{Flags, Mode, Registers};
pub use state::StackOverrun;
