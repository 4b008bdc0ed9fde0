//! A GDB server and a debug adapter for programs on the model, with reverse execution.
//!
//! Breakpoints and watchpoints are filters of an event sink: they cost nothing until hit, and their number is unlimited. At a stop, a core
//! whose halting cost is known (Cortex-M, rule `halt`) halts as under a debug probe: instructions in flight finish, the pipeline is full
//! on resume, and the cycle counter stands still meanwhile. So a session shows the figures of a board. `monitor drain off` stops without
//! that and gives the cycles of an undisturbed run.
//!
//! Reverse execution replays from a snapshot. The session takes one whenever the program resumes, and at regular intervals while it runs.
//!
//! [`Session`] does this without a protocol; [`serve`] adds GDB's, and [`adapt`] that of editors.

mod adapter;
#[cfg(feature = "probe-rs")]
mod chip;
mod history;
mod monitor;
#[cfg(feature = "probe-rs")]
mod probe;
mod registers;
mod server;
mod session;
mod stops;
mod threads;

pub use adapter::{Client, Launch, ProgramOutput, adapt};
#[cfg(feature = "probe-rs")]
pub use probe::probe;
pub use server::serve;
pub use session::{Output, Session, Stopped};
pub use stops::Watched;
