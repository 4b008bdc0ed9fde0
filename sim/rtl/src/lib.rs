//! The Verilog of RV32 cores as an oracle of cycles.
//!
//! [`Core`] names the cores. [`Oracle::of`] fetches the pinned package that holds a core's Verilog, has Verilator build
//! it with our harness (`harness/`), once, and [`Oracle::run`] runs a [`Job`] on it: a memory image with its
//! latencies and interrupts goes in, the stream of retired instructions comes out. [`Core::of_board`] takes Verilog that its
//! user brings ([`VARIABLE`]). Nothing of the Verilog is kept in
//! this repository. [`Verilog`] puts a program on a board's core, as a [`machine::Target`]. [`model`] runs the same job on the model, and [`comparison`] puts the two side by side; [`golden`] keeps what
//! the Verilog did.

mod around;
mod brought;
pub mod comparison;
mod error;
pub mod golden;
mod job;
mod litex;
pub mod model;
mod package;
mod program;
mod pulse;
mod recipe;
mod target;
mod variant;
mod verilate;

pub use around::{Around, Ram, Shared};
pub use brought::VARIABLE;
pub use bus::Jitter;
pub use error::Error;
pub use job::{Change, Job, Line, Outcome, Retired};
pub use litex::{Asked, LitexCache};
pub use model::Step;
pub use program::Program;
pub use pulse::Pulse;
pub use target::Verilog;
pub use variant::Core;
pub use verilate::{Missing, Oracle, verilator_version};

/// A store to these addresses talks to the harness.
pub mod ports {
    /// Ends the run; the value is its exit code.
    pub const FINISH: u32 = 0xfff0_0000;
    /// Bit 0 is the level of the timer interrupt.
    pub const TIMER: u32 = 0xfff0_0004;
    /// Bit 0 is the level of the software interrupt.
    pub const SOFTWARE: u32 = 0xfff0_0008;
    /// The levels of the 32 external interrupts.
    pub const EXTERNAL: u32 = 0xfff0_000c;
    /// The low byte is printed.
    pub const CONSOLE: u32 = 0xfff0_0010;
}
