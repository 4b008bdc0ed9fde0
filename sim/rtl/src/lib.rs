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
pub mod ports;
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
pub use job::{Change, Job, Line, Outcome, Retired, Step};
pub use litex::{Asked, LitexCache};
pub use program::Program;
pub use pulse::Pulse;
pub use target::Verilog;
pub use variant::Core;
pub use verilate::{Missing, Oracle, verilator_version};
