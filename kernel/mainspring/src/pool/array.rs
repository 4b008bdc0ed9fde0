//! A growing list of bounded length, without a heap of its own: in a box, in a resource, in a message.

#![allow(unsafe_code)] // Places of which only the first `len` hold values.

use core::fmt;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// More elements than there is room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TooLong;

/// Up to `N` elements. `Box<Array<T, N>, P>` is one pointer, and its class is known while compiling.
pub struct Array<T, const N: usize> {
    len: usize,
    places: [MaybeUninit<T>; N],
}

impl<T, const N: usize> Array<T, N> {
    /// Without elements.
    #[must_use]
    pub const fn new() -> Self {
        Array {
            len: 0,
            places: [const { MaybeUninit::uninit() }; N],
        }
    }

    /// Adds an element at the end.
    ///
    /// # Errors
    ///
    /// The element, if there are `N` already.
    #[inline]
    pub fn push(&mut self, element: T) -> Result<(), T> {
        match self.places.get_mut(self.len) {
            Some(place) => {
                place.write(element);
                self.len += 1;
                Ok(())
            }
            None => Err(element),
        }
    }

    /// Takes the last element.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let last = self.len.checked_sub(1)?;
        self.len = last;
        // SAFETY: it was among the first `len`, so there is a value, and it is not among them any more.
        Some(unsafe { self.places[last].assume_init_read() })
    }

    /// Drops all elements.
    pub fn clear(&mut self) {
        let elements: *mut [T] = &raw mut **self;
        // If a destructor panics, the elements after it are lost, and none is dropped twice.
        self.len = 0;
        // SAFETY: they were values, and are not counted any more.
        unsafe { elements.drop_in_place() };
    }
}

impl<T: Clone, const N: usize> Array<T, N> {
    /// Adds all of `elements`, or none.
    ///
    /// # Errors
    ///
    /// [`TooLong`] if there is no room for all of them.
    pub fn extend_from_slice(&mut self, elements: &[T]) -> Result<(), TooLong> {
        if elements.len() > N - self.len {
            return Err(TooLong);
        }
        for element in elements {
            let _fits = self.push(element.clone());
        }
        Ok(())
    }
}

impl<T, const N: usize> Default for Array<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Drop for Array<T, N> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<T, const N: usize> Deref for Array<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` hold values.
        unsafe { self.places[..self.len].assume_init_ref() }
    }
}

impl<T, const N: usize> DerefMut for Array<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the first `len` hold values.
        unsafe { self.places[..self.len].assume_init_mut() }
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Array<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
