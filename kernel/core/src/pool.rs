//! The pool: memory in blocks of a few sizes, handed out and taken back in constant time.
//!
//! A pool is one piece of memory and a [`Table`] of size classes. Each class has a list of the blocks that were given
//! back to it; the list's links lie in the blocks themselves, so a block has no header.
//!
//! - *Take*: [`pop`] the class's list. If it is empty, cut a new block off the unused memory
//!   ([`cut`]): blocks that need no more than a word's alignment from the bottom, others from the top, so that neither
//!   kind leaves gaps for the other.
//! - *Give back*: [`push`] onto the class's list.
//!
//! None of them loops over anything. Memory that was cut once belongs to its class for good, unless the pool's
//! [`WhenDry`] says otherwise.
//!
//! # What may come in between
//!
//! The words that everybody shares, the lists' heads and the mark between used and unused memory, are reached through
//! [`Word`], a *load-linked* and a *store-conditional* that fails if anything happened since. What it is, the core
//! decides:
//!
//! | | what a [`Word`] is | what may interrupt |
//! |---|---|---|
//! | ARMv7-M, ARMv8-M | LDREX and STREX | anything; an operation that was interrupted tries again |
//! | other cores | a load and a store, with interrupts held back around the whole operation | nothing, for that long |
//! | a pool under a ceiling, or of one priority | a load and a store | no user of it |
//!
//! There is no ABA problem with a store-conditional: it compares no values. And there is a bound on the attempts. On
//! Cortex-M every exception's entry and return clear the monitor, and nothing else but the code itself does (ARMv7-M
//! ARM A3.4, B1.5.6, B1.5.8). So each attempt that fails was interrupted at least once between its two halves, and an
//! operation that is interrupted `n` times makes at the most `n + 1` attempts: in a response-time analysis the lost
//! attempt is a constant, added to the cost of the interrupt. The most urgent user never tries twice, and no user waits
//! for anybody. `tests/pool_explored.rs` tries every way in which interrupts can nest, and counts.

mod class;
mod cut;
mod list;
mod word;

pub use class::{Class, GRANULE, NATURAL, Table, natural};
pub use cut::{cut, used};
pub use list::{Links, NONE, Shape, Taken, WhenDry, pop, push, take, take_elsewhere};
pub use word::{Word, update};
