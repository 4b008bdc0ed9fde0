//! The parts of program execution that are independent of the instruction set.
//!
//! A core executes *blocks*: straight stretches of instructions, decoded once, with known cycles. This crate has the parts that depend
//! neither on the instructions nor on their cycles: the set of blocks and the addresses where they must begin, the links from one to the
//! next, the next deadline, and the reasons for a run to stop.

#![deny(missing_docs)]

mod access;
mod block_cache;
mod code_map;
mod links;
mod schedule;
mod split_points;
mod stop;

pub use access::{Accessed, AddressRange};
pub use block_cache::BlockCache;
pub use code_map::CodeMap;
pub use links::LinkTable;
pub use schedule::Schedule;
pub use split_points::SplitPoints;
pub use stop::Stop;
