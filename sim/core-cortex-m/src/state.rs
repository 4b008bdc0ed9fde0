//! The parts of a core's state that only the engine uses: how execution continues, what was emitted, what is pending.

mod deviation;
mod emitter;
mod floors;
mod flow;
mod inputs;
mod late_clear;
mod sleep;

pub(crate) use deviation::Deviation;
pub(crate) use emitter::Emitter;
pub use floors::StackOverrun;
pub(crate) use floors::{StackFloors, UNKNOWN};
pub(crate) use flow::Flow;
pub(crate) use inputs::{InputEdge, InputSchedule};
pub(crate) use late_clear::LateClear;
pub(crate) use sleep::Sleep;
