//! Objects that stay constructed: each comes as its last owner left it.

#![allow(unsafe_code)] // Who has an object is said by its owner, not by the types here.

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use mainspring_core::pool::{self, NONE, update};

use super::sharing::{Exclusion, Shared};
use super::store::Blocks;
use super::word::Cell;
use crate::brand::Brand;

/// A pool of objects of one type, all of them there from the start. [`object_pool!`](crate::object_pool!) writes this.
///
/// ```
/// use mainspring::pool::ObjectPool;
///
/// mainspring::object_pool!(
///     /// Buffers for the radio: made once, never cleared in between.
///     Frames: [u8; 128], 4, [0; 128]
/// );
///
/// # fn main() {
/// let mut frame = Frames.request().expect("one of four");
/// frame[0] = 0x7e;
/// # }
/// ```
pub trait ObjectPool: Sized + 'static {
    /// The type of the objects.
    type Data: Send + 'static;
    /// [`Objects`] of this pool.
    type Store: Keeping<Owner = Self, Data = Self::Data>;
    /// Its one store.
    const STORE: &'static Self::Store;

    /// A free object, if there is one. In constant time, from anywhere.
    #[inline(always)]
    fn request(&self) -> Option<Object<Self>> {
        let place = take::<Self>()?;
        let owner = PhantomData;
        Some(Object { place, owner })
    }
}

/// An object of the pool `P`: one pointer. Dropped, it goes back as it is; the destructor of what is in it never runs.
pub struct Object<P: ObjectPool> {
    place: NonNull<Kept<P::Data>>,
    owner: Brand<P>,
}

// SAFETY: an object has one owner, and what is in it is `Send`; it may be given back from anywhere.
unsafe impl<P: ObjectPool> Send for Object<P> {}
// SAFETY: a shared owner gives out only shared references to its contents.
unsafe impl<P: ObjectPool<Data: Sync>> Sync for Object<P> {}

/// The objects of the pool `P`: `N` of them. They carry the type of their owner, so they cannot serve two.
pub struct Objects<P, T, const N: usize> {
    /// Those that were given back.
    head: Cell,
    /// How many were ever taken: the rest are in no list yet.
    fresh: Cell,
    kept: [Kept<T>; N],
    owner: Brand<P>,
}

/// An object, and its place in the list while it is free.
#[doc(hidden)]
#[repr(C)] // The link first: where it is, `Blocks` looks.
pub struct Kept<T> {
    link: UnsafeCell<u32>,
    value: UnsafeCell<T>,
}

// SAFETY: the words are changed as `Exclusion` permits, and each object is reached by the one who has it; it goes from one to
// another, and is `Send`.
unsafe impl<P, T: Send, const N: usize> Sync for Objects<P, T, N> {}

impl<T> Kept<T> {
    /// A free object.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Kept {
            link: UnsafeCell::new(NONE),
            value: UnsafeCell::new(value),
        }
    }
}

impl<P, T, const N: usize> Objects<P, T, N> {
    /// None of them was taken yet.
    #[must_use]
    pub const fn new(kept: [Kept<T>; N]) -> Self {
        Objects {
            head: Cell::new(),
            fresh: Cell::new(),
            kept,
            owner: PhantomData,
        }
    }
}

/// [`Objects`], however many they are.
pub trait Keeping: private::Sealed + Sync {
    /// Whose they are.
    type Owner;
    /// The objects.
    type Data;

    #[doc(hidden)]
    fn head(&self) -> &Cell;
    #[doc(hidden)]
    fn fresh(&self) -> &Cell;
    #[doc(hidden)]
    fn kept(&self) -> &[Kept<Self::Data>];
}

impl<P, T, const N: usize> private::Sealed for Objects<P, T, N> {}
impl<P, T: Send, const N: usize> Keeping for Objects<P, T, N> {
    type Owner = P;
    type Data = T;

    #[inline(always)]
    fn head(&self) -> &Cell {
        &self.head
    }

    #[inline(always)]
    fn fresh(&self) -> &Cell {
        &self.fresh
    }

    #[inline(always)]
    fn kept(&self) -> &[Kept<T>] {
        &self.kept
    }
}

mod private {
    pub trait Sealed {}
}

/// Where the objects of `P` lie, as a list of blocks knows them.
#[inline(always)]
fn blocks<P: ObjectPool>() -> Blocks {
    Blocks(P::STORE.kept().as_ptr().cast_mut().cast())
}

/// Takes one that was given back, if there is one.
///
/// # Safety
///
/// Inside the section that all users of the pool share.
#[inline(always)]
unsafe fn first<P: ObjectPool>(store: &P::Store, blocks: &Blocks) -> Option<NonNull<u8>> {
    #[cfg(exclusives)]
    // SAFETY: every block of the list came there as a dropped object.
    unsafe {
        let _ = blocks;
        crate::arch::pop::<super::word::Here, _>(store.head().get())
    }
    #[cfg(not(exclusives))]
    // SAFETY: as above; the rest is the caller's promise.
    match unsafe { pool::pop(&Shared::word(store.head()), blocks) } {
        NONE => None,
        again => NonNull::new(blocks.pointer(again)),
    }
}

/// Takes a free one.
#[inline(always)]
fn take<P: ObjectPool>() -> Option<NonNull<Kept<P::Data>>> {
    let (store, blocks) = (P::STORE, blocks::<P>());
    let _section = Shared::section();
    // SAFETY: inside the section that all users of the pool share.
    if let Some(again) = unsafe { first::<P>(store, &blocks) } {
        return Some(again.cast());
    }
    // SAFETY: inside of that section.
    let fresh = unsafe { Shared::word(store.fresh()) };
    let kept = store.kept();
    let first = update(&fresh, |taken| {
        ((taken as usize) < kept.len()).then_some(taken + 1)
    })?;
    // By the pointer to all of them, which may write.
    NonNull::new(blocks.0.cast::<Kept<P::Data>>().wrapping_add(first as usize))
}

impl<P: ObjectPool> Drop for Object<P> {
    #[inline(always)]
    fn drop(&mut self) {
        let (store, blocks) = (P::STORE, blocks::<P>());
        let _section = Shared::section();
        // SAFETY: inside the section that all users of the pool share; the object is the owner's, which gives it away.
        unsafe {
            let number = blocks.number(self.place.cast());
            pool::push(&Shared::word(store.head()), &blocks, number);
        }
    }
}

impl<P: ObjectPool> Deref for Object<P> {
    type Target = P::Data;

    #[inline(always)]
    fn deref(&self) -> &P::Data {
        // SAFETY: the object is the owner's, and the owner is borrowed.
        unsafe { &*UnsafeCell::raw_get(&raw const (*self.place.as_ptr()).value) }
    }
}

impl<P: ObjectPool> DerefMut for Object<P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut P::Data {
        // SAFETY: the object is the owner's, and the owner is borrowed mutably.
        unsafe { &mut *UnsafeCell::raw_get(&raw const (*self.place.as_ptr()).value) }
    }
}

impl<P: ObjectPool<Data: fmt::Debug>> fmt::Debug for Object<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Writes a pool of objects of one type: the name, the type, how many, and what each is at first; see
/// [`ObjectPool`](crate::pool::ObjectPool).
#[macro_export]
macro_rules! object_pool {
    ($(#[$attribute:meta])* $visibility:vis $name:ident: $data:ty, $count:expr, $first:expr) => {
        $(#[$attribute])*
        $visibility struct $name;

        const _: () = {
            type __Store = $crate::pool::Objects<$name, $data, { $count }>;
            static __STORE: __Store = __Store::new([const { $crate::pool::Kept::new($first) }; $count]);

            impl $crate::pool::ObjectPool for $name {
                type Data = $data;
                type Store = __Store;
                const STORE: &'static __Store = &__STORE;
            }
        };
    };
}
