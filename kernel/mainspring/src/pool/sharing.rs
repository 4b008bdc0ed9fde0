//! Who may take blocks out of a pool, and what keeps them apart.

#![allow(unsafe_code)] // Plain accesses of shared words, where somebody else keeps the others out.

use mainspring_core::pool::Word;

use super::store::Cell;
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

/// Whoever has the pool's [`Key`](super::Key). Boxes may be dropped anywhere.
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
    /// The list that blocks are taken from.
    fn free(&self) -> &Cell;
    /// The list that anybody may push to.
    fn returned(&self) -> &Cell;
}

impl Head for Cell {
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
pub struct Heads {
    free: Cell,
    returned: Cell,
}

impl Head for Heads {
    #[inline(always)]
    fn free(&self) -> &Cell {
        &self.free
    }

    #[inline(always)]
    fn returned(&self) -> &Cell {
        &self.returned
    }
}

/// How shared words are reached.
pub(crate) trait Exclusion {
    type Word<'w>: Word;

    /// A word, inside of a section.
    fn word(cell: &Cell) -> Self::Word<'_>;

    /// Runs `f`, with whatever must be held back meanwhile held back.
    fn section<O>(f: impl FnOnce() -> O) -> O;
}

/// Anybody may come: LDREX and STREX, or, where there is no such thing, a few instructions with interrupts held back.
impl Exclusion for Shared {
    type Word<'w> = arch::Shared<'w>;

    #[inline(always)]
    fn word(cell: &Cell) -> arch::Shared<'_> {
        arch::Shared(cell)
    }

    #[inline(always)]
    fn section<O>(f: impl FnOnce() -> O) -> O {
        arch::shared_section(f)
    }
}

/// Nobody else comes, because there is one key and the caller has it.
impl Exclusion for Exclusive {
    type Word<'w> = Plain<'w>;

    #[inline(always)]
    fn word(cell: &Cell) -> Plain<'_> {
        Plain(cell)
    }

    #[inline(always)]
    fn section<O>(f: impl FnOnce() -> O) -> O {
        f()
    }
}

/// A word that nobody else can reach meanwhile.
pub(crate) struct Plain<'w>(pub(crate) &'w Cell);

impl Word for Plain<'_> {
    #[inline(always)]
    fn load_linked(&self) -> u32 {
        // SAFETY: inside of a section that keeps everybody else out.
        unsafe { self.0.get().read() }
    }

    #[inline(always)]
    fn store_conditional(&self, value: u32) -> bool {
        // SAFETY: as above; so nothing happened since the load, either.
        unsafe { self.0.get().write(value) };
        true
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for super::Shared {}
    impl Sealed for super::Exclusive {}
}
