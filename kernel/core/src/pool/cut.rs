//! Memory that nobody has used yet.
//!
//! One word says how much is used from the bottom (its low half) and from the top (its high half), in granules. It is
//! zero at first, so a pool lies in `.bss` and takes no room in flash, and what was ever used can be read off it.

use super::word::Word;
use super::{Class, GRANULE, NATURAL};

const HALF: u32 = 0xffff;

/// Cuts a block of `class` off, and returns how many granules lie before it; `None` if what is left does not suffice.
///
/// The memory is `total` granules, at the address `base`, a multiple of [`NATURAL`]. Only a class whose alignment is
/// above that needs the address.
#[inline(always)]
pub fn cut(fresh: &impl Word, class: Class, total: u32, base: u32) -> Option<u32> {
    let size = (class.size / GRANULE) as u32;
    loop {
        let used = fresh.load_linked();
        let (bottom, top) = (used & HALF, used >> 16);
        let is_small = class.align <= GRANULE;
        let length = if is_small {
            size
        } else {
            size + gap(class, total - top, base)
        };
        if bottom + top + length > total {
            return None;
        }
        let (more, place) = if is_small {
            (length, bottom)
        } else {
            (length << 16, total - top - length)
        };
        if fresh.store_conditional(used + more) {
            return Some(place);
        }
    }
}

/// How many of the memory's granules have ever been used.
pub fn used(fresh: u32) -> u32 {
    (fresh & HALF) + (fresh >> 16)
}

/// Granules to leave out, so that a block of `class` that ends at most `end` granules behind `base` is aligned. None for
/// classes of no more than the natural alignment: everything at the top is a multiple of it.
#[inline(always)]
fn gap(class: Class, end: u32, base: u32) -> u32 {
    if class.align <= NATURAL {
        return 0;
    }
    let granule = GRANULE as u32;
    // If there is no room for it, any answer will do: it will not fit.
    let start = base.wrapping_add(granule * end).wrapping_sub(class.size as u32);
    (start & (class.align as u32 - 1)) / granule
}
