//! What an instruction costs: pipelines as the Verilog has them, clocked cycle by cycle.
//!
//! A pipeline knows no data. Whoever drives it tells, when an instruction enters the decode stage, what [`Kind`] it is
//! and what its execution will come to ([`Passage`]): which registers it reads and writes, whether it jumps, and where to.
//! It also asks for instructions that will never be executed, behind a jump that is still to be taken.

mod arbiter;
mod lines;
mod passage;
mod port;
mod units;
pub mod vexriscv_lite;
pub mod vexriscv_simple;

pub use passage::{Jump, Kind, Passage};

/// How slow a memory is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Latency {
    /// Cycles until a transfer is acknowledged; 0 is in the cycle that asks for it.
    pub first: u32,
    /// The same for each further transfer of a burst.
    pub beat: u32,
}

/// Gives the instruction at an address, when it enters the decode stage.
pub trait Supply {
    /// The next instruction to be executed, which is at `pc`.
    fn instruction(&mut self, pc: u32) -> Passage;

    /// The instruction at `pc`, which was fetched behind a jump and will not be executed.
    fn unwanted(&mut self, pc: u32) -> Passage;

    /// The address at which execution goes on after the trap or trap return that is being taken.
    fn trap_target(&mut self) -> u32;
}
