//! What a run announces, and who listens to what.
//!
//! A core turns its run into one stream of [`Event`]s, in the order of their cycles, whatever its instruction set. Whoever
//! wants to hear of them is a [`Sink`] and says beforehand what it wants: an [`Interest`]. The core tells no more than
//! that, and goes its fastest way in between.
//!
//! **Windows tile the run.** Each cycle from reset to the end belongs to exactly one [`Window`]: that of the instruction,
//! exception entry, exception return or sleep that the core was busy with, or that it waited for. The [`Costs`] of a window
//! add up to its length, and each names its [`Rule`]; what a rule says, where that comes from and how well it is known
//! stands in the [`RuleBook`] of the core.
//!
//! A sink receives `&Event` and can change nothing: neither a cycle nor a byte of memory.

mod cost;
mod event;
mod interest;
mod rule;
mod sink;

pub use cost::{Cost, Costs, Window};
pub use event::{Access, Enter, EntryKind, Event, Exit, Mask, Retire, Step};
pub use interest::{Interest, Pcs, Ranges};
pub use rule::{Class, Mark, Rule, RuleBook, RuleId, RuleSet};
pub use sink::{Flow, Silent, Sink};
