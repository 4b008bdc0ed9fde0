//! A Cortex-M core: registers, instructions, exceptions, system peripherals, and what all of it costs.
//!
//! The parts, from the inside out:
//! - [`Registers`] and `exec`: what an instruction does. A handler announces what happened and knows no cycle.
//! - `fp`: single-precision arithmetic, bit for bit.
//! - `access`: the way of a load or store to memory, the private peripheral bus, or a fault.
//! - `sys`: NVIC, SCB, SysTick, MPU, DWT, ITM; `exception`: entry, return, priorities.
//! - `timing`: named rules that say what all that cost.
//! - `run` and `engine`: straight runs of instructions, decoded once and their cost worked out once, and the loop
//!   that executes them.

mod access;
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
mod run;
mod stack;
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
pub use stack::StackOverrun;
