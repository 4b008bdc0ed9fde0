//! Memory that nobody has used yet.
//!
//! One word says how much is used from the bottom (its low half) and from the top (its high half), in granules. It is
//! zero at first, so a pool lies in `.bss` and takes no room in flash, and what was ever used can be read off it.

use super::word::{Word, update};
use super::{Class, GRANULE, NATURAL};

const HALF: u32 = 0xffff;

/// Cuts a block of `class` off, and returns how many granules lie before it; `None` if what is left does not suffice.
///
/// The memory is `total` granules, at the address `base`, a multiple of [`NATURAL`]. Only a class whose alignment is
/// above that needs the address.
#[inline(always)]
pub fn cut(fresh: &impl Word, class: Class, total: u32, base: u32) -> Option<u32> {
    let size = (class.size / GRANULE) as u32;
    if class.align <= GRANULE {
        let fits = |used| (sum(used) + size <= total).then_some(used + size);
        update(fresh, fits).map(|used| used & HALF)
    } else {
        let length = |used| size + gap(class, total - (used >> 16), base);
        let fits = |used| (sum(used) + length(used) <= total).then(|| used + (length(used) << 16));
        update(fresh, fits).map(|used| total - (used >> 16) - length(used))
    }
}

/// How many of the memory's granules have ever been used.
pub fn used(fresh: u32) -> u32 {
    sum(fresh)
}

#[inline(always)]
fn sum(used: u32) -> u32 {
    (used & HALF) + (used >> 16)
}

/// Granules to leave out, so that a block of `class` that ends at most `end` granules behind `base` is aligned. None for
/// classes of no more than the natural alignment: everything at the top is a multiple of it.
#[inline(always)]
fn gap(class: Class, end: u32, base: u32) -> u32 {
    if class.align <= NATURAL {
        return 0;
    }
    let granule = GRANULE as u32;
    let start = base.wrapping_add(granule * end).wrapping_sub(class.size as u32);
    (start & (class.align as u32 - 1)) / granule
}
