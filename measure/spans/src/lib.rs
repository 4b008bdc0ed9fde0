//! From a stream of small records to what a stretch of a program costs.
//!
//! A **span** runs from one point to another. While it is open, the cycles go to three accounts, always reported apart:
//!
//! - **own**: spent by the span's context (a thread, or one activation of an exception handler);
//! - **pre-empted**: taken by exceptions that begin *and* end inside the span;
//! - **blocked**: another thread ran, neither the one in which the span began nor the one in which it ends.
//!
//! Own + pre-empted + blocked is the span's total, for every sample. From this definition follow the cases that matter:
//!
//! - A span *into* a handler (an interrupt's latency) owns that handler's entry, since it has not ended. A span *out of* a
//!   handler (the way back) owns the exit, since the handler did not begin inside. A tail-chain is both.
//! - A lower-priority span that is interrupted pays for the whole interruption as pre-empted: entry, handler, nested
//!   handlers, exit.
//! - An exception that switches threads belongs to the switch, so it is own while either thread of the span is the
//!   current one. What interrupts it in turn is pre-emption.
//!
//! Points belong to the context that met them: a handler that runs through the same code as the thread below it opens
//! and closes a span of its own. Within a context the latest opening wins; a closing point first looks for an opening in
//! its own context and otherwise takes the latest one anywhere.
//!
//! The calls of a function are spans of another kind: see [`Calls`].
//!
//! The crate knows no simulator. Whoever can tell when points, exceptions and thread switches happened can feed it; a
//! trace from a debug probe on a board is as good as a simulated run.

mod account;
mod calls;
mod collector;
mod histogram;
mod record;
mod relied;
mod stats;
mod timeline;
mod tracker;

pub use calls::Calls;
pub use collector::{Collector, Span, Unit, Unmeasured};
pub use histogram::Histogram;
pub use record::{PointId, Record};
pub use stats::{Called, Parts, Place, Stats, Time};
