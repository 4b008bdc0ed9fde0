//! The key to a pool whose memory one context hands out.
//!
//! A task that keeps the key as part of its state allocates with plain loads and stores. As the data of a resource, the key
//! is shared under the resource's ceiling: `cx.lock(&mut heap, |heap, _| heap.make(value))`.
//!
//! A box knows nothing of a key. Dropped, wherever that is, its block goes onto the class's second list, which everybody may
//! push to; the key takes that list over, as a whole, when its own is empty. Giving the box to [`Key::free`] is the
//! way without that detour.

#![allow(unsafe_code)] // Takes blocks from raw memory, and puts them back.

use core::marker::PhantomData;
use core::mem::forget;
use core::ptr::NonNull;

use mainspring_core::pool::update;

use super::boxed::Box;
use super::sharing::{Exclusion, Exclusive, Shared, Which};
use super::storage::{Exhausted, Pool, Storage};
use super::store::{self, Block, Fit, Of};
use crate::brand::Brand;

/// The one key to the pool `P`, which is [`Exclusive`]. It takes no space.
pub struct Key<P>(Brand<P>);

impl<P: Pool<Store: Storage<Sharing = Exclusive>>> Key<P> {
    /// The key, for the first caller.
    #[must_use]
    pub fn claim() -> Option<Self> {
        let first = |claimed| (claimed == 0).then_some(1);
        let _section = Shared::section();
        // SAFETY: inside of the section, in which alone this word is reached.
        let claimed = unsafe { Shared::word(P::STORE.claimed()) };
        update(&claimed, first).map(|_| Key(PhantomData))
    }

    /// A box with `value`.
    ///
    /// # Errors
    ///
    /// [`Exhausted`], with the value, if there is no block for it.
    #[inline(always)]
    pub fn make<T>(&mut self, value: T) -> Result<Box<T, P>, Exhausted<T>> {
        if !Fit::<T, P>::NEEDS_BLOCK {
            // SAFETY: it has no size.
            return Ok(unsafe { Box::without_block(value) });
        }
        match self.take::<Of<T, P>>(const { Fit::<T, P>::CLASS }, size_of::<T>()) {
            // SAFETY: the block is the caller's alone, and of `T`'s class.
            Some(block) => Ok(unsafe { Box::place(block, value) }),
            None => Err(Exhausted(value)),
        }
    }

    /// Drops the value and takes the block back at once.
    #[inline(always)]
    pub fn free<T>(&mut self, boxed: Box<T, P>) {
        let place = Box::into_non_null(boxed);
        if !Fit::<T, P>::NEEDS_BLOCK {
            // SAFETY: the value was the box's.
            return unsafe { place.drop_in_place() };
        }
        let class = const { Fit::<T, P>::CLASS };
        // SAFETY: the box owned the block, which is of `T`'s class.
        let block = unsafe { Block::<P, Of<T, P>>::new(class, place.cast()) };
        // SAFETY: the value was the box's.
        unsafe { place.drop_in_place() };
        forget(block);
        // SAFETY: as for `block`; the key is borrowed, so no other code is at the list.
        unsafe { store::push::<P, Exclusive, Of<T, P>, 0>(class, place.cast()) };
    }

    #[inline(always)]
    #[allow(clippy::unused_self)] // To have the key is what is asked for.
    fn take<W: Which>(&mut self, class: usize, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: this is the key, borrowed by this alone.
        unsafe { store::take::<P, Exclusive, W>(class, size) }
    }

    /// The most of the pool's memory that was ever in use, in bytes, the blocks that are free now included.
    #[must_use]
    pub fn high_water(&self) -> usize {
        // SAFETY: this is the key, and code that changes the mark borrows it mutably.
        unsafe { store::used::<P, Exclusive>() }
    }
}
