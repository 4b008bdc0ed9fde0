//! Threads that wait for the same thing.

use core::cell::Cell;

use super::order::{behind, bit, top};

/// A set of waiting threads, and the last one that was let go: among equals it is the next one's turn.
#[derive(Debug, Default)]
pub struct Set {
    pub(super) members: Cell<u32>,
    pub(super) last: Cell<u32>,
}

impl Set {
    /// No thread.
    #[must_use]
    pub const fn new() -> Self {
        Set {
            members: Cell::new(0),
            last: Cell::new(0),
        }
    }

    /// The word.
    #[inline(always)]
    pub fn members(&self) -> u32 {
        self.members.get()
    }

    /// Whether no thread waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.members.get() == 0
    }

    /// `rank` waits, too.
    #[inline(always)]
    pub fn insert(&self, rank: usize) {
        self.members.set(self.members.get() | bit(rank));
    }

    #[inline(always)]
    pub(super) fn remove(&self, rank: usize) {
        self.members.set(self.members.get() & !bit(rank));
    }

    /// The one of `equals`, all of which are members, that comes after the last one.
    pub(super) fn next_of(&self, equals: u32) -> usize {
        let next = first_behind(equals, self.last.get());
        self.last.set(bit(next));
        next
    }
}

/// The first of `members` after the thread `last` (one bit, or none), in a circle.
pub(super) fn first_behind(members: u32, last: u32) -> usize {
    let behind = members & behind(last);
    top(if last != 0 && behind != 0 { behind } else { members })
}
