//! The box for one value.

#![allow(unsafe_code)] // From a raw block to a value and back.

use core::borrow::{Borrow, BorrowMut};
use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr::NonNull;

#[cfg(cut_at_once)]
use super::cut::elsewhere;
use super::sharing::Shared;
#[cfg(at_once)]
use super::storage::HeadOf;
use super::storage::{Exhausted, Pool, SharedPool};
#[cfg(all(at_once, not(cut_at_once)))]
use super::store::elsewhere;
use super::store::{Block, Fit, Of, take};
use crate::arch;
use crate::brand::Brand;

/// Owns a `T` in a block of the pool `P`. One pointer.
///
/// Dropping it drops the value and gives the block back, from anywhere. A value without size has no block, and costs
/// nothing. A type that is too large for the pool does not compile.
#[repr(transparent)]
pub struct Box<T, P: Pool> {
    place: NonNull<T>,
    value: PhantomData<T>,
    owner: Brand<P>,
}

// SAFETY: the box owns its value, and blocks may be given back from anywhere.
unsafe impl<T: Send, P: Pool> Send for Box<T, P> {}
// SAFETY: a shared box gives out only shared references to its value.
unsafe impl<T: Sync, P: Pool> Sync for Box<T, P> {}
/// Moving the box does not move the value.
impl<T, P: Pool> Unpin for Box<T, P> {}

impl<T, P: SharedPool> Box<T, P> {
    /// A box with `value`.
    ///
    /// # Errors
    ///
    /// [`Exhausted`], with the value, if the pool has no block for it.
    #[inline(always)]
    pub fn new(value: T) -> Result<Self, Exhausted<T>> {
        if !Fit::<T, P>::NEEDS_BLOCK {
            // SAFETY: it has no size.
            return Ok(unsafe { Self::without_block(value) });
        }
        match Self::block() {
            // SAFETY: no other code has the block, and it is of `T`'s class.
            Some(block) => Ok(unsafe { Self::place(block, value) }),
            None => Err(Exhausted(value)),
        }
    }

    /// A box with the value that `make` returns, which is made where it will stay, if the compiler can see to that.
    ///
    /// # Errors
    ///
    /// [`Exhausted`], without calling `make`, if the pool has no block for it.
    #[inline(always)]
    pub fn with(make: impl FnOnce() -> T) -> Result<Self, Exhausted<()>> {
        match Box::<MaybeUninit<T>, P>::uninit() {
            Ok(place) => Ok(place.write(make())),
            Err(Exhausted(())) => Err(Exhausted(())),
        }
    }

    /// A pinned box with `value`, such as a future.
    ///
    /// # Errors
    ///
    /// As for [`new`](Box::new).
    #[inline(always)]
    pub fn pin(value: T) -> Result<Pin<Self>, Exhausted<T>> {
        Self::new(value).map(Self::into_pin)
    }

    #[inline(always)]
    fn block() -> Option<NonNull<u8>> {
        #[cfg(at_once)]
        if const { Fit::<T, P>::AT_ONCE } {
            // SAFETY: the list is that of `T`'s class, and `P` is a `SharedPool`.
            return unsafe {
                match arch::pop::<HeadOf<P, Of<T, P>, 0>, _>(P::STORE) {
                    None => elsewhere::<P, Of<T, P>>(const { Fit::<T, P>::CLASS }, size_of::<T>()),
                    block => block,
                }
            };
        }
        // SAFETY: `P` is a `SharedPool`.
        unsafe { take::<P, Shared, Of<T, P>>(const { Fit::<T, P>::CLASS }, size_of::<T>()) }
    }
}

impl<T, P: SharedPool> Box<MaybeUninit<T>, P> {
    /// A box without a value, for [`write`](Box::write).
    ///
    /// # Errors
    ///
    /// [`Exhausted`] if the pool has no block for it.
    #[inline(always)]
    pub fn uninit() -> Result<Self, Exhausted<()>> {
        if !Fit::<T, P>::NEEDS_BLOCK {
            // SAFETY: it has no size.
            return Ok(unsafe { Self::without_block(MaybeUninit::uninit()) });
        }
        // SAFETY: no other code has the block, it is of this class, and any bytes are a `MaybeUninit`.
        let boxed = Self::block().map(|block| unsafe { Self::from_non_null(block.cast()) });
        boxed.ok_or(Exhausted(()))
    }
}

impl<T, P: Pool> Box<MaybeUninit<T>, P> {
    /// Puts the value in.
    #[inline(always)]
    pub fn write(mut self, value: T) -> Box<T, P> {
        MaybeUninit::write(&mut self, value);
        // SAFETY: there is a value now.
        unsafe { self.assume_init() }
    }

    /// Takes what is there for a value.
    ///
    /// # Safety
    ///
    /// It is one: every byte that a `T` has was written.
    #[inline(always)]
    pub unsafe fn assume_init(self) -> Box<T, P> {
        // SAFETY: size, alignment and so the class are the same, and the caller says that there is a value.
        unsafe { Box::from_non_null(Self::into_non_null(self).cast()) }
    }
}

impl<T, P: Pool> Box<T, P> {
    /// The value; the block goes back.
    #[inline(always)]
    pub fn into_inner(boxed: Self) -> T {
        let place = Self::into_non_null(boxed);
        // SAFETY: the value was the box's, and is read once.
        let value = unsafe { place.read() };
        // SAFETY: so was the block, and it is of `T`'s class.
        drop(unsafe { Self::block_at(place) });
        value
    }

    /// Keeps the value, for good.
    #[inline(always)]
    #[must_use]
    pub fn leak(boxed: Self) -> &'static mut T
    where
        T: 'static,
    {
        // SAFETY: the value was the box's, nothing else refers to it, and its block never goes back; the pool's memory
        // is static.
        unsafe { Self::into_non_null(boxed).as_mut() }
    }

    /// The value will not move any more.
    #[inline(always)]
    #[must_use]
    pub fn into_pin(boxed: Self) -> Pin<Self> {
        // SAFETY: the value lies in its block until it is dropped there: nothing that a pinned box gives out moves it.
        unsafe { Pin::new_unchecked(boxed) }
    }

    /// The place of the value. The caller takes over the value and the block: with [`from_raw`](Box::from_raw).
    #[inline(always)]
    #[must_use]
    pub fn into_raw(boxed: Self) -> *mut T {
        Self::into_non_null(boxed).as_ptr()
    }

    /// The box that [`into_raw`](Box::into_raw) took apart.
    ///
    /// # Safety
    ///
    /// `place` came from `into_raw` of a box of the same pool, and this is done once; there is a value, whose type has
    /// the size and the alignment that the type had then.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_raw(place: *mut T) -> Self {
        // SAFETY: a box's place is never null; the rest is the caller's promise.
        unsafe { Self::from_non_null(NonNull::new_unchecked(place)) }
    }

    #[inline(always)]
    pub(crate) fn into_non_null(boxed: Self) -> NonNull<T> {
        ManuallyDrop::new(boxed).place
    }

    /// # Safety
    ///
    /// The caller owns the value there, and gives it away; it lies in a block of `P`, of `T`'s class, if it has a size.
    #[inline(always)]
    pub(crate) unsafe fn from_non_null(place: NonNull<T>) -> Self {
        let (value, owner) = (PhantomData, PhantomData);
        Box { place, value, owner }
    }

    /// Puts `value` into `block`.
    ///
    /// # Safety
    ///
    /// The caller owns the block, which is of `P` and of `T`'s class.
    #[inline(always)]
    pub(crate) unsafe fn place(block: NonNull<u8>, value: T) -> Self {
        let place = typed::<T>(block);
        // SAFETY: a block of the class is large enough for a `T`, and aligned; no other code has it.
        unsafe { arch::put(place.as_ptr(), value) };
        // SAFETY: there is a value now.
        unsafe { Self::from_non_null(place) }
    }

    /// A box for a value without size, which needs no place.
    ///
    /// # Safety
    ///
    /// A `T` has no size.
    #[inline(always)]
    pub(crate) unsafe fn without_block(value: T) -> Self {
        core::mem::forget(value);
        // SAFETY: a value without size can be anywhere that is aligned, and this one was given away.
        unsafe { Self::from_non_null(NonNull::dangling()) }
    }

    /// The function that gives the block back, if there is one.
    ///
    /// # Safety
    ///
    /// The caller owns the block, and gives it away.
    #[inline(always)]
    unsafe fn block_at(place: NonNull<T>) -> Option<Block<P, Of<T, P>>> {
        // SAFETY: the caller's promise, and the block was taken for this class.
        let block = || unsafe { Block::new(const { Fit::<T, P>::CLASS }, place.cast()) };
        Fit::<T, P>::NEEDS_BLOCK.then(block)
    }
}

/// The block as the place of a `T`.
#[inline(always)]
fn typed<T>(block: NonNull<u8>) -> NonNull<T> {
    if cfg!(cut_at_once) {
        // Where nothing is inlined, `cast` is a call.
        // SAFETY: a place is a place.
        return unsafe { core::mem::transmute::<NonNull<u8>, NonNull<T>>(block) };
    }
    block.cast()
}

impl<T, P: Pool> Drop for Box<T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(at_once)]
        if const { Fit::<T, P>::AT_ONCE && !core::mem::needs_drop::<T>() } {
            // SAFETY: the box owns the block, which is of `T`'s class, and is not used again; everybody may push to the second list.
            return unsafe { arch::push::<HeadOf<P, Of<T, P>, 1>, _>(P::STORE, self.place.as_ptr().cast()) };
        }
        // SAFETY: the box owns the block, and is not used again.
        let _block = unsafe { Self::block_at(self.place) };
        // SAFETY: and the value. Its block goes back afterwards, also if it panics.
        unsafe { self.place.drop_in_place() };
    }
}

impl<T, P: Pool> Deref for Box<T, P> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the box owns the value, and is borrowed.
        unsafe { self.place.as_ref() }
    }
}

impl<T, P: Pool> DerefMut for Box<T, P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the box owns the value, and is borrowed mutably.
        unsafe { self.place.as_mut() }
    }
}

impl<T, P: Pool> AsRef<T> for Box<T, P> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T, P: Pool> AsMut<T> for Box<T, P> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T, P: Pool> Borrow<T> for Box<T, P> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T, P: Pool> BorrowMut<T> for Box<T, P> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: fmt::Debug, P: Pool> fmt::Debug for Box<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display, P: Pool> fmt::Display for Box<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq, P: Pool> PartialEq for Box<T, P> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, P: Pool> Eq for Box<T, P> {}
