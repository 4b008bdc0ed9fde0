//! Statistics, on request.

#![allow(unsafe_code)] // Words that several contexts change, inside of sections that the callers see to.

use mainspring_core::pool::{Word, update};

use super::sharing::{Exclusion, Shared};
use super::word::Cell;

/// [`Off`] or [`On`].
pub trait Statistics: private::Sealed + Sync + 'static {
    #[doc(hidden)]
    const NEW: Self;
    /// Whether anything is counted.
    #[doc(hidden)]
    const COUNTS: bool;
    /// A block was taken, or not, for a value of `size` bytes.
    ///
    /// # Safety
    ///
    /// Inside of a section of [`Shared`].
    #[doc(hidden)]
    unsafe fn took(&self, class: usize, size: usize, success: bool);
    /// A block was given back.
    ///
    /// # Safety
    ///
    /// Inside of a section of [`Shared`].
    #[doc(hidden)]
    unsafe fn gave(&self, class: usize);
}

/// Nothing is counted, and nothing is paid.
pub struct Off;

/// Counts, for each of the pool's `CLASSES`, what is in use, the most that was, and what could not be had; and the
/// largest value there ever was.
pub struct On<const CLASSES: usize> {
    classes: [Cells; CLASSES],
    largest: Cell,
}

struct Cells {
    in_use: Cell,
    most: Cell,
    refused: Cell,
}

/// The statistics of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Count {
    /// Boxes that there are.
    pub in_use: u32,
    /// The most that there ever were at once.
    pub most: u32,
    /// Times that there was no block.
    pub refused: u32,
}

impl Statistics for Off {
    const NEW: Self = Off;
    const COUNTS: bool = false;

    #[inline(always)]
    unsafe fn took(&self, _class: usize, _size: usize, _success: bool) {}

    #[inline(always)]
    unsafe fn gave(&self, _class: usize) {}
}

impl<const CLASSES: usize> Statistics for On<CLASSES> {
    const NEW: Self = On {
        classes: [const {
            Cells {
                in_use: Cell::new(),
                most: Cell::new(),
                refused: Cell::new(),
            }
        }; CLASSES],
        largest: Cell::new(),
    };

    const COUNTS: bool = true;

    unsafe fn took(&self, class: usize, size: usize, success: bool) {
        let cells = &self.classes[class];
        // SAFETY: the caller's promise.
        unsafe {
            if success {
                let before = change(&cells.in_use, |count| Some(count + 1));
                raise(&cells.most, before + 1);
                raise(&self.largest, size as u32);
            } else {
                change(&cells.refused, |count| Some(count + 1));
            }
        }
    }

    unsafe fn gave(&self, class: usize) {
        // SAFETY: the caller's promise.
        unsafe { change(&self.classes[class].in_use, |count| Some(count - 1)) };
    }
}

impl<const CLASSES: usize> On<CLASSES> {
    /// The statistics of a class.
    pub fn of(&self, class: usize) -> Count {
        let cells = &self.classes[class];
        let _section = Shared::section();
        // SAFETY: inside of the section.
        let read = |cell| unsafe { Shared::word(cell) }.load_linked();
        Count {
            in_use: read(&cells.in_use),
            most: read(&cells.most),
            refused: read(&cells.refused),
        }
    }

    /// Bytes of the largest value that there ever was.
    pub fn largest(&self) -> u32 {
        let _section = Shared::section();
        // SAFETY: inside of the section.
        unsafe { Shared::word(&self.largest) }.load_linked()
    }
}

/// Returns the value before.
///
/// # Safety
///
/// Inside of a section of [`Shared`].
unsafe fn change(cell: &Cell, f: impl FnMut(u32) -> Option<u32>) -> u32 {
    // SAFETY: the caller's promise.
    update(&unsafe { Shared::word(cell) }, f).unwrap_or_default()
}

/// # Safety
///
/// As for [`change`].
unsafe fn raise(cell: &Cell, to: u32) {
    // SAFETY: the caller's promise.
    unsafe { change(cell, |value| (to > value).then_some(to)) };
}

mod private {
    pub trait Sealed {}
    impl Sealed for super::Off {}
    impl<const CLASSES: usize> Sealed for super::On<CLASSES> {}
}
