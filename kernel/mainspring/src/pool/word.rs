//! Words that several contexts change, and how an instruction reaches them.

#![allow(unsafe_code)] // Plain accesses of shared words, where somebody else keeps the others out.

use core::cell::UnsafeCell;
use core::marker::PhantomData;

use mainspring_core::pool::Word;

/// A word that several contexts change.
#[doc(hidden)]
pub struct Cell(UnsafeCell<u32>);

// SAFETY: a `Word` of it is what reaches it, and each kind says when it may.
unsafe impl Sync for Cell {}

impl Cell {
    pub(crate) const fn new() -> Self {
        Cell(UnsafeCell::new(0))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> *mut u32 {
        self.0.get()
    }
}

/// The offset of a word from the address that is in a register: a constant, for an instruction with an offset.
#[cfg_attr(not(exclusives), expect(dead_code))] // Elsewhere the compiler sees to offsets.
pub(crate) trait Offset {
    const BYTES: usize;
    /// The loaded word is first compared with 0, which takes a low register.
    const IS_TESTED: bool = true;
}

/// The address is the word's own.
pub(crate) struct Here;

impl Offset for Here {
    const BYTES: usize = 0;
}

/// A class's numbers, in granules but for offsets. The word that says what was used has two halves: what is used from the bottom, and all.
#[cfg(cut_at_once)]
pub(crate) trait Carve {
    /// Whether there are any: the class is known, and no block of it is aligned to more than 8.
    const IS_GOOD: bool;
    /// Bytes from the store to that word.
    const FRESH: usize;
    /// From so much of all on there is no room.
    const LIMIT: usize;
    /// The size of a block.
    const GRANULES: usize;
    /// Blocks come from the top, not from the bottom.
    const TOP: bool;
    /// Bytes from the store to the block, in memory that was never used.
    const ORIGIN: usize;
}

/// A word that no other code can reach meanwhile.
pub(crate) struct Plain<'w, O>(&'w Cell, PhantomData<O>);

impl<'w, O: Offset> Plain<'w, O> {
    /// The compiler knows offsets by itself.
    ///
    /// # Safety
    ///
    /// For as long as the word is used, no other code reaches `cell`.
    #[inline(always)]
    pub(crate) unsafe fn new(_base: *mut u32, cell: &'w Cell) -> Self {
        Plain(cell, PhantomData)
    }
}

impl<O: Offset> Word for Plain<'_, O> {
    #[inline(always)]
    fn load_linked(&self) -> u32 {
        // SAFETY: no other code reaches it, as `new` asks.
        unsafe { self.0.get().read() }
    }

    #[inline(always)]
    fn store_conditional(&self, value: u32) -> bool {
        // SAFETY: as above; so nothing happened since the load, either.
        unsafe { self.0.get().write(value) };
        true
    }
}
