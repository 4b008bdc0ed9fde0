//! How a block is cut off in one piece, for builds without optimisations: the numbers of a class, while compiling.

#![allow(unsafe_code)] // Blocks are raw memory, as in `store`.

use core::ptr::NonNull;

use mainspring_core::pool::{GRANULE, NATURAL};

use super::WhenDry;
use super::sharing::{FreshOf, Offset, Which};
use super::store::{Pool, SharedPool, Storage};
use crate::arch;

/// A class's numbers, in granules but for offsets. The word that says what was used has two halves: what is used from the bottom, and all.
pub(crate) trait Cut {
    /// Whether there are any: the class is known, and no block of it is aligned to more than 8.
    const IS_GOOD: bool;
    /// Bytes from the store to that word.
    const FRESH: usize;
    /// From so much of all on there is no room.
    const LIMIT: usize;
    /// The size of a block.
    const GRANULES: usize;
    /// Blocks come from the top, not from the bottom.
    const TOP: bool;
    /// Bytes from the store to the block, in memory that was never used.
    const ORIGIN: usize;
}

impl<P: Pool, W: Which> Cut for FreshOf<P, W> {
    const IS_GOOD: bool = W::KNOWN.is_some() && align::<P, W>() <= NATURAL && Self::GRANULES <= total::<P>();
    const FRESH: usize = <Self as Offset>::BYTES;
    const LIMIT: usize = if Self::IS_GOOD {
        total::<P>() - Self::GRANULES + 1
    } else {
        0
    };
    const GRANULES: usize = match W::KNOWN {
        Some(class) => P::CLASSES[class].size / GRANULE,
        None => 0,
    };
    const TOP: bool = align::<P, W>() > GRANULE;
    const ORIGIN: usize = <P::Store as Storage>::MEMORY
        + if Self::TOP && Self::IS_GOOD {
            GRANULE * (total::<P>() - Self::GRANULES)
        } else {
            0
        };
}

const fn align<P: Pool, W: Which>() -> usize {
    match W::KNOWN {
        Some(class) => P::CLASSES[class].align,
        None => 0,
    }
}

/// Granules of a pool's memory.
const fn total<P: Pool>() -> usize {
    <P::Store as Storage>::BYTES / GRANULE
}

/// As [`elsewhere`](super::store::elsewhere), where nothing is counted: the common case in one piece, and the rest after it.
///
/// # Safety
///
/// As for [`take`](super::store::take); everybody may take from the pool.
#[inline(always)]
pub(crate) unsafe fn elsewhere<P: SharedPool, W: Which>(class: usize, size: usize) -> Option<NonNull<u8>> {
    if const { <FreshOf<P, W> as Cut>::IS_GOOD } {
        // SAFETY: this is the store whose numbers they are. A match, because without optimisations `is_some` is a call.
        match unsafe { arch::cut::<FreshOf<P, W>, _>(P::STORE) } {
            None if !matches!(P::WHEN_DRY, WhenDry::Fail) => {}
            block => return block,
        }
    }
    // SAFETY: the caller's promise.
    unsafe { super::store::elsewhere::<P, W>(class, size) }
}
