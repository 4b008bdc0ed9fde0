//! The ranks of the threads, worked out while compiling.

use crate::plan::Use;

/// Threads that an application can have: of the word's bits one is the idle loop's, and one nobody's.
pub const MOST: usize = 30;

/// The bit that is nobody's: in the word of those who contend it says that somebody lends.
pub const LENT: u32 = 1;

/// A thread, as its row describes it.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Its name.
    pub name: &'static str,
    /// 1 is the least urgent; equal ones take turns.
    pub priority: u8,
    /// Its state comes from `init`.
    pub late: bool,
    /// What it uses.
    pub uses: &'static [Use],
}

/// The thread of this rank, as a member of a set.
#[must_use]
#[inline(always)]
pub const fn bit(rank: usize) -> u32 {
    0x8000_0000 >> rank
}

/// The rows of the table by rank.
#[derive(Clone, Copy, Debug)]
pub struct Order<'rows> {
    rows: &'rows [Thread],
}

impl<'rows> Order<'rows> {
    /// Of these rows.
    #[must_use]
    pub const fn new(rows: &'rows [Thread]) -> Self {
        Order { rows }
    }

    /// The rank of row `row`: those of higher priority come before it, and those of its own that the table has before it.
    #[must_use]
    pub const fn rank(&self, row: usize) -> usize {
        let mut before = 0;
        let mut i = 0;
        while i < self.rows.len() {
            let (own, other) = (self.rows[row].priority, self.rows[i].priority);
            if other > own || (other == own && i < row) {
                before += 1;
            }
            i += 1;
        }
        before
    }

    /// Everyone of the priority of row `row`.
    #[must_use]
    pub const fn group(&self, row: usize) -> u32 {
        let mut group = 0;
        let mut i = 0;
        while i < self.rows.len() {
            if self.rows[i].priority == self.rows[row].priority {
                group |= bit(self.rank(i));
            }
            i += 1;
        }
        group
    }

    /// The group of rank `rank`; the idle loop is alone.
    #[must_use]
    pub const fn group_at(&self, rank: usize) -> u32 {
        let mut i = 0;
        while i < self.rows.len() {
            if self.rank(i) == rank {
                return self.group(i);
            }
            i += 1;
        }
        bit(rank)
    }
}
