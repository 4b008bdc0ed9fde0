//! What executes a program, whatever its instruction set.
//!
//! A core executes *blocks*: straight stretches of instructions, decoded once, whose cycles are known. This crate has what does not
//! depend on the instructions or on their cycles: which blocks there are and where they must begin, how one leads to the next, when
//! something else is due, and why a run stops.

#![deny(missing_docs)]

mod access;
mod block;
mod code;
mod exit;
mod schedule;
mod split;
mod stop;

pub use access::{Accessed, AddressRange};
pub use block::BlockCache;
pub use code::CodeMap;
pub use exit::Exits;
pub use schedule::Schedule;
pub use split::SplitPoints;
pub use stop::Stop;
