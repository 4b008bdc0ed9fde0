//! Mainspring's pool: shared by everybody, of one task alone, and under the ceiling of a resource (in the programs).

#![no_std]

use core::ptr::null_mut;

use common::{Allocator, Kernel, MEMORY};
use mainspring::pool::{Box, Exhausted, Key, Pool};

mainspring::pool! {
    /// For everybody.
    pub struct Heap;
    bytes = MEMORY;
    classes = [4, 8, 12, 16, 24, 32, 48, 64];
}

mainspring::pool! {
    /// For whoever has the key.
    pub struct Own;
    bytes = MEMORY;
    classes = [4, 8, 12, 16, 24, 32, 48, 64];
    sharing = Exclusive;
}

/// The pool for everybody.
pub struct Shared;

/// The pool with a key, which one task has.
pub struct Single(Key<Own>);

impl Single {
    /// With the key.
    pub fn ready() -> Self {
        match Key::claim() {
            Some(key) => Single(key),
            None => common::fail(),
        }
    }
}

/// The place of a box; null if there was none.
#[inline(always)]
pub fn place<T, P: Pool>(boxed: Result<Box<T, P>, Exhausted<T>>) -> *mut T {
    match boxed {
        Ok(boxed) => Box::into_raw(boxed),
        Err(Exhausted(_)) => null_mut(),
    }
}

impl<T> Kernel<T> for Shared {
    #[inline(always)]
    fn take(&mut self, value: T) -> *mut T {
        place(Box::<T, Heap>::new(value))
    }

    #[inline(always)]
    unsafe fn give(&mut self, place: *mut T) {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::<T, Heap>::from_raw(place) });
    }
}

impl<T> Kernel<T> for Single {
    #[inline(always)]
    fn take(&mut self, value: T) -> *mut T {
        place(self.0.make(value))
    }

    #[inline(always)]
    unsafe fn give(&mut self, place: *mut T) {
        // SAFETY: the caller's promise.
        self.0.free(unsafe { Box::from_raw(place) });
    }
}

impl Allocator for Shared {
    fn bookkeeping(&self) -> usize {
        size_of_val(Heap::STORE) - MEMORY
    }
}

impl Allocator for Single {
    fn bookkeeping(&self) -> usize {
        size_of_val(Own::STORE) - MEMORY
    }
}
