//! The ranks of the threads, worked out while compiling.

use crate::plan::Use;

/// The most threads of an application: one of the word's bits is the idle loop's, and one belongs to no thread.
pub const MOST: usize = 30;

/// The bit that belongs to no thread: in the word of contending threads it says that some thread lends.
pub const LENT: u32 = bit(31);

/// A thread, as its row describes it.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Its name.
    pub name: &'static str,
    /// 1 is the least urgent; equal ones take turns.
    pub priority: u8,
    /// Its state comes from `init`.
    pub late: bool,
    /// Its uses.
    pub uses: &'static [Use],
}

/// Words in which rank 0 is the highest bit, or the lowest: which of them a core finds the first member in with less.
#[derive(Clone, Copy, Debug)]
pub struct Word<const LOWEST_FIRST: bool>;

/// The words of this core. RV32 without Zbb and ARMv6-M (the one without atomic operations) have no instruction for either; the lowest
/// bit takes a multiplication and a table.
type Here = Word<
    {
        cfg!(any(
            all(target_arch = "riscv32", not(target_feature = "zbb")),
            all(target_arch = "arm", not(target_has_atomic = "32"))
        ))
    },
>;

/// The number of the one bit of a word, found by the highest five bits of its product with [`SEQUENCE`]; and a bit above it,
/// because the compiler knows the plain table, and replaces it by what is right for a word of 0 as well.
static NUMBERS: [u8; 32] = {
    let mut numbers = [0; 32];
    let mut i = 0;
    while i < 32 {
        numbers[(SEQUENCE.wrapping_shl(i) >> 27) as usize] = i as u8 | 1 << 5;
        i += 1;
    }
    numbers
};

/// A sequence of 32 bits in which each five that follow one another are different (of de Bruijn).
const SEQUENCE: u32 = 0x077c_b531;

impl<const LOWEST_FIRST: bool> Word<LOWEST_FIRST> {
    /// The member of rank `rank`.
    #[must_use]
    #[inline(always)]
    pub const fn bit(rank: usize) -> u32 {
        if LOWEST_FIRST {
            1 << rank
        } else {
            0x8000_0000 >> rank
        }
    }

    /// The rank of the most urgent of `members`, of which there is at least one.
    #[must_use]
    #[inline(always)]
    pub const fn top(members: u32) -> usize {
        if !LOWEST_FIRST {
            return members.leading_zeros() as usize;
        }
        if cfg!(all(target_arch = "riscv32", not(target_feature = "m"))) {
            return members.trailing_zeros() as usize;
        }
        let lowest = members & members.wrapping_neg();
        NUMBERS[(lowest.wrapping_mul(SEQUENCE) >> 27) as usize] as usize % 32
    }

    /// Whether `rank` is one of `members`, and the most urgent of them.
    #[must_use]
    #[inline(always)]
    pub const fn is_top(members: u32, rank: usize) -> bool {
        if LOWEST_FIRST {
            let bit = Self::bit(rank);
            members & (bit | (bit - 1)) == bit
        } else {
            members.leading_zeros() as usize == rank
        }
    }

    /// Whether the one whose bit this is is more urgent than all of `others`, of which there is at least one; not, if it is one of them
    /// or no bit.
    #[must_use]
    #[inline(always)]
    pub const fn is_before(bit: u32, others: u32) -> bool {
        if LOWEST_FIRST {
            others & (bit | bit.wrapping_sub(1)) == 0
        } else {
            others < bit
        }
    }

    /// Whether `rank` is one of `members`: the bit is shifted to where an instruction sees it.
    #[must_use]
    #[inline(always)]
    pub const fn is_member(members: u32, rank: usize) -> bool {
        if LOWEST_FIRST {
            (members >> rank) & 1 != 0
        } else {
            ((members << rank) as i32) < 0
        }
    }

    /// The threads less urgent than the one with this bit; without a bit, none or all.
    #[must_use]
    #[inline(always)]
    pub const fn behind(bit: u32) -> u32 {
        if LOWEST_FIRST {
            bit.wrapping_neg() << 1
        } else {
            bit.wrapping_sub(1)
        }
    }
}

/// The thread of this rank, as a member of a set.
#[must_use]
#[inline(always)]
pub const fn bit(rank: usize) -> u32 {
    Here::bit(rank)
}

/// The rank of the most urgent of `members`, of which there is at least one.
#[must_use]
#[inline(always)]
pub const fn top(members: u32) -> usize {
    Here::top(members)
}

/// Whether `rank` is one of `members`, and the most urgent of them.
#[must_use]
#[inline(always)]
pub const fn is_top(members: u32, rank: usize) -> bool {
    Here::is_top(members, rank)
}

/// Whether the one whose bit this is is more urgent than all of `others`; see [`Word::is_before`].
#[must_use]
#[inline(always)]
pub const fn is_before(bit: u32, others: u32) -> bool {
    Here::is_before(bit, others)
}

/// Whether `rank` is one of `members`.
#[must_use]
#[inline(always)]
pub const fn is_member(members: u32, rank: usize) -> bool {
    Here::is_member(members, rank)
}

/// The threads less urgent than the one with this bit; without a bit, none or all.
#[must_use]
#[inline(always)]
pub const fn behind(bit: u32) -> u32 {
    Here::behind(bit)
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

    /// All threads with equals.
    #[must_use]
    pub const fn equals(&self) -> u32 {
        let (mut equals, mut i) = (0, 0);
        while i < self.rows.len() {
            if self.group(i).count_ones() > 1 {
                equals |= self.group(i);
            }
            i += 1;
        }
        equals
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
