//! Memory that was never used.
//!
//! One word says how much is used from the bottom (its low half), and how much in all (its high half), in granules. It is
//! zero at first, so a pool lies in `.bss` and takes no room in flash, and the word shows how much was ever used. To see whether there
//! is room for a small block takes one comparison with a constant, and the next word one addition of another.

use core::hint::cold_path;

use super::word::Word;
use super::{Class, GRANULE, NATURAL};

const HALF: u32 = 0xffff;

/// An attempt to cut a block off; execution continues after it if another context came in between.
macro_rules! attempt {
    ($fresh:ident, $store:ident, $class:ident, $size:ident, $total:ident, $base:ident) => {
        let used = $fresh.load_linked();
        let all = used >> 16;
        if $class.align <= GRANULE {
            if all + $size > $total {
                return None;
            }
            if $fresh.$store(used + ($size << 16 | $size)) {
                return Some(used & HALF);
            }
        } else {
            let end = $total - (all - (used & HALF));
            let length = $size + gap($class, end, $base);
            if all + length > $total {
                return None;
            }
            if $fresh.$store(used + (length << 16)) {
                return Some(end - length);
            }
        }
    };
}

/// Cuts a block of `class` off, and returns how many granules lie before it; `None` if what is left does not suffice.
///
/// The memory is `total` granules, at the address `base`, a multiple of [`NATURAL`]. Only a class whose alignment is
/// above that needs the address.
#[inline(always)]
pub fn cut(fresh: &impl Word, class: Class, total: u32, base: u32) -> Option<u32> {
    let size = (class.size / GRANULE) as u32;
    attempt!(fresh, store_conditional, class, size, total, base);
    // As in `pop`: out of the way.
    cold_path();
    loop {
        attempt!(fresh, store_again, class, size, total, base);
    }
}

/// How many of the memory's granules have ever been used.
pub fn used(fresh: u32) -> u32 {
    fresh >> 16
}

/// Granules to leave out, so that a block of `class` that ends at most `end` granules after `base` is aligned. None for
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
