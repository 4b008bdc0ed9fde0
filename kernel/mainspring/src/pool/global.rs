//! A pool as the global allocator, for programs that use `alloc`.

#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait with unsafe functions.

use core::alloc::{GlobalAlloc, Layout};
use core::marker::PhantomData;
use core::ptr::{NonNull, null_mut};

use super::sharing::{LookedUp, Shared};
use super::storage::SharedPool;
use super::store::{class, give, take};
use crate::brand::Brand;

/// The pool `P` as a `GlobalAlloc`.
///
/// ```ignore
/// mainspring::pool! { struct Heap; bytes = 16384; classes = [16, 32, 64, 128, 256, 512]; when_dry = TakeLarger; }
///
/// #[global_allocator]
/// static GLOBAL: mainspring::pool::Global<Heap> = mainspring::pool::Global::new();
/// ```
///
/// The class is looked up at run time: as many steps as the pool has classes, at the most. What no class can hold is
/// refused, so the largest class is the largest allocation. Growing within a block moves nothing.
pub struct Global<P>(Brand<P>);

impl<P: SharedPool> Global<P> {
    /// The allocator.
    #[must_use]
    pub const fn new() -> Self {
        const { super::store::check_pool::<P>() };
        Global(PhantomData)
    }
}

impl<P: SharedPool> Default for Global<P> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: a block of the class for a layout is large enough and aligned, and is not used by other code until it is given back;
// nothing here panics.
unsafe impl<P: SharedPool> GlobalAlloc for Global<P> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = class::<P>(layout.size(), layout.align()).and_then(|class| {
            // SAFETY: `P` is a `SharedPool`.
            unsafe { take::<P, Shared, LookedUp>(class, layout.size()) }
        });
        block.map_or(null_mut(), NonNull::as_ptr)
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if let (Some(class), Some(block)) = (class::<P>(layout.size(), layout.align()), NonNull::new(place)) {
            // SAFETY: the caller owns it, and it was taken for the same layout, so for this class.
            unsafe { give::<P, LookedUp>(class, block) };
        }
    }

    #[inline]
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if class::<P>(size, layout.align()) == class::<P>(layout.size(), layout.align()) {
            return place;
        }
        // SAFETY: the caller sees to it that `size`, rounded up to the alignment, does not overflow.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller's promise.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            // SAFETY: both are as large as the smaller of the two, and different, because both are in use.
            unsafe { moved.copy_from_nonoverlapping(place, size.min(layout.size())) };
            // SAFETY: the caller's promise; it does not use the old place again.
            unsafe { self.dealloc(place, layout) };
        }
        moved
    }
}
