//! The events that a run emits, and the sinks that receive them.
//!
//! A core turns its run into one stream of [`Event`]s in cycle order, whatever its instruction set. A receiver is a [`Sink`] and declares
//! in advance what it wants: an [`Interest`]. The core reports those events only, and takes its fast path in between.
//!
//! **Windows tile the run.** Each cycle from reset to the end belongs to exactly one [`Window`]: that of the instruction, exception
//! entry, exception return or sleep that the core executed or waited for. The [`Costs`] of a window add up to its length, and each names
//! its [`Rule`]. The core's [`RuleBook`] holds each rule's text, source and evidence mark.
//!
//! A sink receives `&Event` and can change nothing: neither a cycle nor a byte of memory.

mod cost;
mod event;
mod exception;
mod interest;
mod rule;
mod sink;

pub use cost::{Cost, Costs, Window};
pub use event::{Access, Enter, EntryKind, Event, Exit, Mask, Retire, Step};
pub use exception::Exception;
pub use interest::{Interest, Pcs, Ranges};
pub use rule::{Class, Mark, Rule, RuleBook, RuleId, RuleSet};
pub use sink::{Flow, Silent, Sink};
