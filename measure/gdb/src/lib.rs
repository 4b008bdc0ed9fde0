//! A server for GDB: a program on the model, stopped, stepped, looked at, and taken back.
//!
//! A breakpoint or watchpoint is something that a sink is interested in: it costs nothing until it is met, and there can be any number
//! of them. Where the program stops, a core with a known cost of that (Cortex-M, rule `halt`) is halted as a debug probe halts it: what
//! is under way ends, the pipeline is full when it goes on, and the cycle counter stands still meanwhile. So a session gives the
//! figures that it gives on a board. `monitor drain off` stops without that, so that the cycles are those of an undisturbed run.
//!
//! Going back is going forward again from a snapshot: one is taken where the program goes on, and every so many cycles behind that.
//!
//! [`Session`] is all of this without the protocol; [`serve`] speaks it.

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

#[cfg(feature = "probe-rs")]
pub use probe::probe;
pub use server::serve;
pub use session::{Output, Session, Stopped};
pub use stops::Watched;
