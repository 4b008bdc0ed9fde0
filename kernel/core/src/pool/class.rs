//! Size classes.

use crate::text::Text;

/// Sizes of blocks are multiples of this: a link's size, and a word's.
pub const GRANULE: usize = 4;

/// The alignment that blocks have without being asked: the most that a primitive type needs on a 32-bit core.
pub const NATURAL: usize = 8;

/// A size of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Bytes, a multiple of the alignment.
    pub size: usize,
    /// Bytes, a power of two.
    pub align: usize,
}

impl Class {
    /// Blocks of `size` bytes, aligned as their size is, to 4 or 8.
    #[must_use]
    pub const fn of(size: usize) -> Self {
        Class {
            size,
            align: natural(size),
        }
    }

    /// Blocks of `size` bytes that are aligned to `align`, which may be more than 8.
    #[must_use]
    pub const fn aligned(size: usize, align: usize) -> Self {
        Class { size, align }
    }

    /// One for every size: 4, 8, 12 … bytes, `N` of them.
    #[must_use]
    pub const fn up_to<const N: usize>() -> [Self; N] {
        let mut classes = [Class::of(GRANULE); N];
        let mut i = 0;
        while i < N {
            classes[i] = Class::of(GRANULE * (i + 1));
            i += 1;
        }
        classes
    }

    /// Whether a value fits.
    #[must_use]
    pub const fn fits(self, size: usize, align: usize) -> bool {
        size <= self.size && align <= self.align
    }
}

/// The alignment of blocks of `size` bytes, if nothing else is asked for.
#[must_use]
pub const fn natural(size: usize) -> usize {
    if size.is_multiple_of(NATURAL) {
        NATURAL
    } else {
        GRANULE
    }
}

/// The classes of a pool, by increasing size.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a>(pub &'a [Class]);

impl Table<'_> {
    /// The class for values of `size` bytes aligned to `align`: the smallest one that has both.
    ///
    /// At most as many steps as there are classes. For a type it is a constant.
    #[must_use]
    #[inline(always)]
    pub const fn class(&self, size: usize, align: usize) -> Option<usize> {
        let mut class = 0;
        while class < self.0.len() {
            if self.0[class].fits(size, align) {
                return Some(class);
            }
            class += 1;
        }
        None
    }

    /// The bytes of a block that a value of `size` bytes aligned to `align` leaves unused.
    #[must_use]
    pub const fn waste(&self, size: usize, align: usize) -> Option<usize> {
        match self.class(size, align) {
            Some(class) => Some(self.0[class].size - size),
            None => None,
        }
    }

    /// The most that a value of any size can leave unused in a block of class `class`: the values that are just too large
    /// for the class before it. (A value whose *alignment* keeps it out of the class before it can leave more.)
    #[must_use]
    pub const fn worst_waste(&self, class: usize) -> usize {
        match class {
            0 => self.0[0].size - 1,
            _ => self.0[class].size - self.0[class - 1].size - 1,
        }
    }

    /// The mistake in the table, for a pool of `bytes`.
    #[must_use]
    pub const fn problem(&self, pool: &str, bytes: usize) -> Option<Text> {
        let start = Text::of("pool ").name(pool);
        if self.0.is_empty() {
            return Some(start.and(" has no classes: give it at least one size"));
        }
        if bytes == 0 || !bytes.is_multiple_of(NATURAL) || bytes > GRANULE * 0xffff {
            return Some(start.and(" must have a multiple of 8 bytes, 8 to 262136"));
        }
        let (mut class, mut before) = (0, 0);
        while class < self.0.len() {
            let Class { size, align } = self.0[class];
            let start = start.and(": class of ").number(size as u16).and(" bytes");
            if !align.is_power_of_two() || align < GRANULE || align > 0x8000 {
                return Some(start.and(" must be aligned to a power of two, 4 to 32768"));
            }
            if size == 0 || !size.is_multiple_of(align) {
                return Some(
                    start
                        .and(" is no multiple of its alignment, ")
                        .number(align as u16),
                );
            }
            if size <= before {
                return Some(start.and(" is not larger than the one before it"));
            }
            if size > bytes {
                return Some(start.and(" is larger than the pool"));
            }
            before = size;
            class += 1;
        }
        None
    }

    /// Says that `pool` has no class for a value.
    #[must_use]
    pub const fn too_large(&self, pool: &str, size: usize, align: usize) -> Text {
        let Class { size: most, .. } = self.0[self.0.len() - 1];
        Text::of("a value of ")
            .number(size as u16)
            .and(" bytes, aligned to ")
            .number(align as u16)
            .and(", fits no class of pool ")
            .name(pool)
            .and(", whose largest has ")
            .number(most as u16)
            .and(" bytes: give the pool a class for it")
    }
}
