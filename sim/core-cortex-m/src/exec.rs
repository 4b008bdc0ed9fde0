//! The effect of each instruction on registers, flags and memory.
//!
//! [`lower`] turns a decoded instruction into a [`MicroOp`](crate::microop::MicroOp) once, when its run is built. It resolves everything
//! that depends only on the instruction's place (the PC as an operand, its ITSTATE, whether it sets the flags), and picks the handler that
//! is compiled for exactly this shape of operands. Each execution only performs the operation itself.
//!
//! Handlers know no cycles. They note in [`Core::deviation`] whatever the cost depends on.

mod alone;
mod bits;
mod branch;
mod condition;
mod data;
mod dsp;
mod exclusive;
mod fp;
mod lower;
mod memory;
mod muldiv;
mod multiple;
mod operand;
mod parallel;
mod shift;
mod system;

pub use alone::Effect;
pub(crate) use branch::load_to_pc;
pub(crate) use condition::passes;
pub(crate) use fp::may_go_on as fp_may_go_on;
pub(crate) use lower::{lower, lower_error, lower_from_flash, lower_unmapped};

#[cfg(test)]
mod tests;
