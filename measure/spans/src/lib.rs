//! Measures what parts of a program cost, from a stream of small records.
//!
//! A **span** runs from one point to another. While it is open, the cycles go to three accounts, always reported apart:
//!
//! - **own**: spent by the span's context (a thread, or one activation of an exception handler);
//! - **pre-empted**: taken by exceptions that begin *and* end inside the span;
//! - **blocked**: another thread ran, neither the one in which the span began nor the one in which it ends.
//!
//! Own + pre-empted + blocked is the span's total, for every sample. Consequences of this definition:
//!
//! - A span *into* a handler (an interrupt's latency) owns that handler's entry, since it has not ended. A span *out of* a
//!   handler (the way back) owns the exit, since the handler did not begin inside. A tail-chain is both.
//! - A lower-priority span that is interrupted counts the whole interruption as pre-empted: entry, handler, nested
//!   handlers, exit.
//! - An exception that switches threads belongs to the switch: it is own while either thread of the span is the
//!   current one. Exceptions that interrupt it are pre-emption.
//!
//! A point belongs to the context that reaches it: a handler that runs the same code as the interrupted thread opens and closes a span of
//! its own. Within a context the latest opening wins. A closing point first looks for an opening in its own context, then takes the
//! latest one anywhere.
//!
//! Function calls are measured separately: see [`Calls`].
//!
//! The crate does not depend on a simulator. Any source of points, exceptions and thread switches can feed it, such as a debug probe's
//! trace of a board.

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
