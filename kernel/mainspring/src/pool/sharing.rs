//! The users that may take blocks out of a pool, and what keeps them apart.

#![allow(unsafe_code)] // Plain accesses of shared words, where somebody else keeps the others out.

use mainspring_core::pool::{NONE, Word, update};

use core::hint::cold_path;

use super::word::{Cell, Here, Offset, Plain};
use crate::arch;

/// [`Shared`] or [`Exclusive`].
pub trait Sharing: private::Sealed + 'static {
    #[doc(hidden)]
    type Head: Head;
    #[doc(hidden)]
    const HEAD: Self::Head;
    #[doc(hidden)]
    type Claimed;
    #[doc(hidden)]
    const UNCLAIMED: Self::Claimed;
}

/// Everybody, from any priority: [`Box::new`](super::Box::new).
pub struct Shared;

/// The owner of the pool's [`Key`](super::Key). Boxes may be dropped anywhere.
pub struct Exclusive;

impl Sharing for Shared {
    type Head = Cell;
    const HEAD: Cell = Cell::new();
    type Claimed = ();
    const UNCLAIMED: () = ();
}

impl Sharing for Exclusive {
    type Head = Heads;
    const HEAD: Heads = Heads {
        free: Cell::new(),
        returned: Cell::new(),
    };
    type Claimed = Cell;
    const UNCLAIMED: Cell = Cell::new();
}

/// A class's lists.
#[doc(hidden)]
pub trait Head {
    /// Bytes from the list that blocks are taken from to the one that anybody may push to.
    const RETURNED: usize;
    /// The list that blocks are taken from.
    fn free(&self) -> &Cell;
    /// The list that anybody may push to.
    fn returned(&self) -> &Cell;
}

impl Head for Cell {
    const RETURNED: usize = 0;

    #[inline(always)]
    fn free(&self) -> &Cell {
        self
    }

    #[inline(always)]
    fn returned(&self) -> &Cell {
        self
    }
}

/// The lists of a class whose memory one context hands out: its own, and what others returned.
#[doc(hidden)]
#[repr(C)]
pub struct Heads {
    free: Cell,
    returned: Cell,
}

impl Head for Heads {
    const RETURNED: usize = size_of::<Cell>();

    #[inline(always)]
    fn free(&self) -> &Cell {
        &self.free
    }

    #[inline(always)]
    fn returned(&self) -> &Cell {
        &self.returned
    }
}

/// Which class it is.
pub(crate) trait Which {
    /// The class, if it is known while compiling.
    const KNOWN: Option<usize>;
}

/// A class that is looked up at run time.
pub(crate) struct LookedUp;

impl Which for LookedUp {
    const KNOWN: Option<usize> = None;
}

/// How shared words are reached.
pub(crate) trait Exclusion {
    type Word<'w, O: Offset>: Word;
    type Section;

    /// A word: `cell`, at the offset `O` from `base`.
    ///
    /// # Safety
    ///
    /// It lies there; and for as long as the word is used there is a [`section`](Exclusion::section), in which `cell` is
    /// one of those that this kind of exclusion keeps apart.
    unsafe fn behind<O: Offset>(base: *mut u32, cell: &Cell) -> Self::Word<'_, O>;

    /// A word.
    ///
    /// # Safety
    ///
    /// As for [`behind`](Exclusion::behind).
    #[inline(always)]
    unsafe fn word(cell: &Cell) -> Self::Word<'_, Here> {
        // SAFETY: it lies there; the rest is the caller's promise.
        unsafe { Self::behind(cell.get(), cell) }
    }

    /// Runs `f`, which counts, inside a section of [`Shared`], which all code that counts uses.
    ///
    /// # Safety
    ///
    /// Inside of a section of this kind.
    unsafe fn counting(f: impl FnOnce());

    /// No other code takes blocks: a block in the list stays there until it is taken.
    const ALONE: bool;

    /// Makes what was returned to a class part of the list that blocks are taken from, if that list is empty. Whether it may have a
    /// block then.
    ///
    /// # Safety
    ///
    /// Inside of a section of this kind, which `head` belongs to.
    unsafe fn collect(head: &impl Head) -> bool;

    /// The same reference; of which the compiler does not know that it is, where that makes better code.
    fn opaque<T>(store: &'static T) -> &'static T;

    /// Holds whatever must be held back, until the result is dropped.
    fn section() -> Self::Section;
}

/// Anybody may come: LDREX and STREX, or, where there is no such thing, a few instructions with interrupts held back.
impl Exclusion for Shared {
    type Word<'w, O: Offset> = arch::Shared<'w, O>;
    type Section = arch::SharedSection;

    #[inline(always)]
    unsafe fn behind<O: Offset>(base: *mut u32, cell: &Cell) -> arch::Shared<'_, O> {
        // SAFETY: the caller's promise.
        unsafe { arch::Shared::new(base, cell) }
    }

    /// The section around the call is everybody's.
    #[inline(always)]
    unsafe fn counting(f: impl FnOnce()) {
        f();
    }

    const ALONE: bool = false;

    /// There is one list.
    #[inline(always)]
    unsafe fn collect(_head: &impl Head) -> bool {
        true
    }

    #[inline(always)]
    fn opaque<T>(store: &'static T) -> &'static T {
        arch::opaque(store)
    }

    #[inline(always)]
    fn section() -> arch::SharedSection {
        arch::SharedSection::new()
    }
}

/// No other code comes in between, because there is one key and the caller has it.
impl Exclusion for Exclusive {
    type Word<'w, O: Offset> = Plain<'w, O>;
    type Section = ();

    #[inline(always)]
    unsafe fn behind<O: Offset>(base: *mut u32, cell: &Cell) -> Plain<'_, O> {
        // SAFETY: the caller's promise.
        unsafe { Plain::new(base, cell) }
    }

    /// Code that drops boxes counts as well, and has no key.
    #[inline(always)]
    unsafe fn counting(f: impl FnOnce()) {
        let _section = Shared::section();
        f();
    }

    const ALONE: bool = true;

    #[inline(always)]
    unsafe fn collect(head: &impl Head) -> bool {
        // SAFETY: the caller has the key, so no other code is at this list; its word is always initialised.
        if unsafe { head.free().get().read() } != NONE {
            return true;
        }
        cold_path();
        let _section = Shared::section();
        // SAFETY: inside a section that all code that pushes to this list has.
        let returned = unsafe { Shared::word(head.returned()) };
        if returned.load_linked() == NONE {
            return false;
        }
        let list = update(&returned, |_| Some(NONE));
        // SAFETY: no other code is at this list, as above.
        unsafe { head.free().get().write(list.unwrap_or(NONE)) };
        true
    }

    #[inline(always)]
    fn opaque<T>(store: &'static T) -> &'static T {
        store
    }

    #[inline(always)]
    fn section() {}
}

mod private {
    pub trait Sealed {}
    impl Sealed for super::Shared {}
    impl Sealed for super::Exclusive {}
}
