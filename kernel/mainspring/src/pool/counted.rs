//! A value with several owners.

#![allow(unsafe_code)] // From a raw block to a value and back, and a word that several contexts change.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use mainspring_core::pool::{Word, update};

use super::boxed::Box;
use super::sharing::{Exclusion, Shared};
use super::storage::{Exhausted, Pool, SharedPool};
use super::word::Cell;
use crate::brand::Brand;

/// Shares a `T` in a block of the pool `P`, which goes back when the last owner drops it, wherever that is. One pointer; the block has
/// one word more than the value.
///
/// Owners are counted as blocks are taken: with LDREX and STREX, or with interrupts held back for these few instructions.
#[repr(transparent)]
pub struct Arc<T, P: Pool> {
    place: NonNull<Counted<T>>,
    value: PhantomData<Counted<T>>,
    owner: Brand<P>,
}

#[repr(C)]
struct Counted<T> {
    owners: Cell,
    value: T,
}

// SAFETY: the value is seen from wherever an owner is, and dropped where the last one is.
unsafe impl<T: Send + Sync, P: Pool> Send for Arc<T, P> {}
// SAFETY: code with a reference to an owner can become one.
unsafe impl<T: Send + Sync, P: Pool> Sync for Arc<T, P> {}

impl<T, P: SharedPool> Arc<T, P> {
    /// The first owner of `value`.
    ///
    /// # Errors
    ///
    /// [`Exhausted`], with the value, if the pool has no block for it.
    #[inline]
    pub fn new(value: T) -> Result<Self, Exhausted<T>> {
        let boxed = Box::<_, P>::new(Counted {
            owners: Cell::new(),
            value,
        });
        match boxed {
            Ok(boxed) => {
                let arc = Arc {
                    place: Box::into_non_null(boxed),
                    value: PhantomData,
                    owner: PhantomData,
                };
                // The word counts those beside the first.
                Ok(arc)
            }
            Err(Exhausted(counted)) => Err(Exhausted(counted.value)),
        }
    }
}

impl<T, P: Pool> Arc<T, P> {
    /// How many owners there are; where they are 2^32, one less.
    #[must_use]
    pub fn owners(arc: &Self) -> u32 {
        Self::others(arc).saturating_add(1)
    }

    /// How many there are beside this one.
    fn others(arc: &Self) -> u32 {
        let _section = Shared::section();
        // SAFETY: inside of the section, in which alone these words are reached.
        unsafe { Shared::word(&arc.counted().owners) }.load_linked()
    }

    /// The value, if this is the only owner.
    #[must_use]
    pub fn get_mut(arc: &mut Self) -> Option<&mut T> {
        if Self::others(arc) != 0 {
            return None;
        }
        // SAFETY: there is no other owner, and this one is borrowed mutably, so none can appear.
        Some(unsafe { &mut arc.place.as_mut().value })
    }

    #[inline(always)]
    fn counted(&self) -> &Counted<T> {
        // SAFETY: there is a value as long as it has owners.
        unsafe { self.place.as_ref() }
    }
}

impl<T, P: Pool> Clone for Arc<T, P> {
    /// One owner more.
    ///
    /// # Panics
    ///
    /// If there are 2^32.
    #[inline]
    fn clone(&self) -> Self {
        let counted = {
            let _section = Shared::section();
            // SAFETY: inside of the section, in which alone these words are reached.
            let owners = unsafe { Shared::word(&self.counted().owners) };
            update(&owners, |owners| owners.checked_add(1))
        };
        assert!(counted.is_some(), "too many owners");
        Arc { ..*self }
    }
}

impl<T, P: Pool> Drop for Arc<T, P> {
    #[inline]
    fn drop(&mut self) {
        let others = {
            let _section = Shared::section();
            // SAFETY: inside of the section, in which alone these words are reached.
            let owners = unsafe { Shared::word(&self.counted().owners) };
            update(&owners, |owners| owners.checked_sub(1))
        };
        if others.is_none() {
            // SAFETY: it was the last owner, and is not used again.
            drop(unsafe { Box::<Counted<T>, P>::from_non_null(self.place) });
        }
    }
}

impl<T, P: Pool> Deref for Arc<T, P> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T: fmt::Debug, P: Pool> fmt::Debug for Arc<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::pool! {
        struct Heap;
        bytes = 64;
        classes = [16];
    }

    /// Forgotten owners count as well, until no more of them can be counted: four thousand million later the only one is not alone.
    #[test]
    fn with_all_owners_that_there_can_be_nobody_is_alone() {
        let Ok(mut arc) = Arc::<u32, Heap>::new(7) else {
            panic!("a block for it")
        };
        // SAFETY: there is no other owner.
        unsafe { arc.counted().owners.get().write(u32::MAX) };
        assert_eq!(Arc::owners(&arc), u32::MAX);
        assert_eq!(Arc::get_mut(&mut arc), None);
        // SAFETY: as above.
        unsafe { arc.counted().owners.get().write(0) };
        assert_eq!(Arc::get_mut(&mut arc), Some(&mut 7));
    }
}
