//! How a block is cut off in one piece, for builds without optimisations: the numbers of a class, while compiling.

#![allow(unsafe_code)] // Blocks are raw memory, as in `store`.

use core::ptr::NonNull;

use mainspring_core::pool::{GRANULE, NATURAL, WhenDry};

use super::sharing::Which;
use super::storage::{FreshOf, Pool, SharedPool, Storage};
use super::word::{Carve, Offset};
use crate::arch;

impl<P: Pool, W: Which> Carve for FreshOf<P, W> {
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
    if const { <FreshOf<P, W> as Carve>::IS_GOOD } {
        // SAFETY: this is the store whose numbers they are. A match, because without optimisations `is_some` is a call.
        match unsafe { arch::cut::<FreshOf<P, W>, _>(P::STORE) } {
            None if !matches!(P::WHEN_DRY, WhenDry::Fail) => {}
            block => return block,
        }
    }
    // SAFETY: the caller's promise.
    unsafe { super::store::elsewhere::<P, W>(class, size) }
}
