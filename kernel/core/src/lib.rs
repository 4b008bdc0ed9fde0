//! The algorithms of Mainspring, free of assembly and of any chip, so that the host can test them.
//!
//! Everything that a kernel usually decides while it runs is decided here while the program is compiled. An
//! application is described by a [`Plan`]: its tasks, their priorities, and what each of them uses. From the plan come
//!
//! - the *ceiling* of each resource, the highest priority among its users ([`Plan::ceiling`]);
//! - what it takes to go from one *level* to a higher one and back ([`Action`]): nothing at all, two writes of a
//!   register, or a section that holds every interrupt;
//! - the list of what is wrong with the plan, in words ([`Plan::problem`]).
//!
//! All of it is `const fn`, and the kernel evaluates all of it in constants. Left for run time are the
//! [`Ring`], which is the queue of a task's inbox, the lists of a [`pool`], and which of the [`threads`] runs.

#![no_std]

mod plan;
pub mod pool;
mod priority;
mod problem;
pub mod processes;
mod ring;
mod section;
mod text;
pub mod threads;
pub mod time;

pub use plan::{Access, Actor, Ceiling, Plan, Use, Vector};
pub use priority::{GLOBAL, IDLE, SWITCH, levels, threshold};
pub use problem::Problem;
pub use ring::Ring;
pub use section::{Action, Level, Restore};
pub use text::Text;
