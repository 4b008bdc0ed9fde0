//! The box for what has no size of its own: slices, strings, `dyn Trait`.

#![allow(unsafe_code)] // From a raw block to a value and back.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr::{self, NonNull};

use super::boxed::Box;
use super::sharing::{LookedUp, Shared};
use super::storage::{Pool, SharedPool};
use super::store::{Block, class, take};
use crate::brand::Brand;

/// Owns a `U` in a block of the pool `P`: a pointer, and a length or a vtable.
///
/// The class is looked up when the block goes back, from the value's size: as many steps as the pool has classes, at the
/// most. [`unsize!`](crate::unsize!) makes one from a [`Box`](super::Box).
pub struct Dyn<U: ?Sized, P: Pool> {
    place: NonNull<U>,
    value: PhantomData<U>,
    owner: Brand<P>,
}

/// Why there is no box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The pool has no block for it now.
    Exhausted,
    /// No class of the pool is large enough.
    TooLarge,
}

// SAFETY: the box owns its value, and blocks may be given back from anywhere.
unsafe impl<U: ?Sized + Send, P: Pool> Send for Dyn<U, P> {}
// SAFETY: a shared box gives out only shared references to its value.
unsafe impl<U: ?Sized + Sync, P: Pool> Sync for Dyn<U, P> {}
/// Moving the box does not move the value.
impl<U: ?Sized, P: Pool> Unpin for Dyn<U, P> {}

impl<T: Copy, P: SharedPool> Dyn<[T], P> {
    /// A copy of `slice`, in the smallest block that holds it.
    ///
    /// # Errors
    ///
    /// [`Refused`] if there is no such block.
    #[inline]
    pub fn copy(slice: &[T]) -> Result<Self, Refused> {
        let place = block::<P>(size_of_val(slice), align_of::<T>())?.cast::<T>();
        // SAFETY: the block is large enough and aligned, and is not part of the slice, because no other code has it.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(slice).cast(), slice.len()) };
        // SAFETY: it holds that many values now, in a block of the class for their size.
        Ok(unsafe { Self::from_raw(ptr::slice_from_raw_parts_mut(place.as_ptr(), slice.len())) })
    }
}

impl<P: SharedPool> Dyn<str, P> {
    /// A copy of `text`, in the smallest block that holds it.
    ///
    /// # Errors
    ///
    /// [`Refused`] if there is no such block.
    #[inline]
    pub fn copy_str(text: &str) -> Result<Self, Refused> {
        let bytes = Dyn::<[u8], P>::copy(text.as_bytes())?;
        // SAFETY: the bytes are those of a string; size and alignment are the same.
        Ok(unsafe { Self::from_raw(Dyn::into_raw(bytes) as *mut str) })
    }
}

impl<T, P: Pool> Dyn<T, P> {
    /// The parts of a box.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn split(boxed: Box<T, P>) -> (*mut T, Brand<P>) {
        (Box::into_raw(boxed), PhantomData)
    }
}

/// A block for that many bytes; for none, any aligned address.
#[inline(always)]
fn block<P: SharedPool>(size: usize, align: usize) -> Result<NonNull<u8>, Refused> {
    const { super::store::check_pool::<P>() };
    if size == 0 {
        return Ok(NonNull::without_provenance(
            align.try_into().expect("no alignment is 0"),
        ));
    }
    let class = class::<P>(size, align).ok_or(Refused::TooLarge)?;
    // SAFETY: `P` is a `SharedPool`.
    unsafe { take::<P, Shared, LookedUp>(class, size) }.ok_or(Refused::Exhausted)
}

impl<U: ?Sized, P: Pool> Dyn<U, P> {
    /// The value's place. The caller takes over the value and the block: with [`from_raw`](Dyn::from_raw).
    #[inline(always)]
    #[must_use]
    pub fn into_raw(boxed: Self) -> *mut U {
        core::mem::ManuallyDrop::new(boxed).place.as_ptr()
    }

    /// A box for a value that lies in a block of the pool.
    ///
    /// # Safety
    ///
    /// `place` came from `into_raw` of a box of the same pool, and this is done once; the value there has the size and the
    /// alignment that it had then.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_raw(place: *mut U) -> Self {
        // SAFETY: a box's place is never null.
        let place = unsafe { NonNull::new_unchecked(place) };
        let (value, owner) = (PhantomData, PhantomData);
        Dyn { place, value, owner }
    }

    /// # Safety
    ///
    /// `place` came from `split`, and points to the same value.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn joined(place: *mut U, _: Brand<P>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw(place) }
    }

    /// The value will not move any more.
    #[inline(always)]
    #[must_use]
    pub fn into_pin(boxed: Self) -> Pin<Self> {
        // SAFETY: the value lies in its block until it is dropped there.
        unsafe { Pin::new_unchecked(boxed) }
    }

    /// Keeps the value, for good.
    #[inline(always)]
    #[must_use]
    pub fn leak(boxed: Self) -> &'static mut U
    where
        U: 'static,
    {
        // SAFETY: the value was the box's, nothing else refers to it, and its block never goes back.
        unsafe { &mut *Self::into_raw(boxed) }
    }
}

impl<U: ?Sized, P: Pool> Drop for Dyn<U, P> {
    #[inline]
    fn drop(&mut self) {
        let (size, align) = (size_of_val(&**self), align_of_val(&**self));
        let class = class::<P>(size, align).filter(|_| size != 0);
        // SAFETY: the box owns the block, and is not used again; it was taken for the class of this size and alignment.
        let _block = class.map(|class| unsafe { Block::<P, LookedUp>::new(class, self.place.cast()) });
        // SAFETY: and the value. Its block goes back afterwards, also if it panics.
        unsafe { self.place.drop_in_place() };
    }
}

impl<U: ?Sized, P: Pool> Deref for Dyn<U, P> {
    type Target = U;

    #[inline(always)]
    fn deref(&self) -> &U {
        // SAFETY: the box owns the value, and is borrowed.
        unsafe { self.place.as_ref() }
    }
}

impl<U: ?Sized, P: Pool> DerefMut for Dyn<U, P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut U {
        // SAFETY: the box owns the value, and is borrowed mutably.
        unsafe { self.place.as_mut() }
    }
}

impl<U: ?Sized + fmt::Debug, P: Pool> fmt::Debug for Dyn<U, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<U: ?Sized + fmt::Display, P: Pool> fmt::Display for Dyn<U, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
