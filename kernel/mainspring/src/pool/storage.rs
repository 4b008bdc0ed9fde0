//! What a pool is, and its memory.

#![allow(unsafe_code)] // Shared memory: who owns a block is said by the boxes, not by the types here.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use mainspring_core::pool::{Class, WhenDry};

use super::sharing::{Head, Shared, Sharing, Which};
use super::statistics::{Off, Statistics};
use super::word::{Cell, Offset};
use crate::brand::Brand;

/// A pool: a type that stands for it, without values. [`pool!`](crate::pool!) writes this.
pub trait Pool: Sized + 'static {
    /// The name; messages of the compiler use it.
    const NAME: &'static str;
    /// The sizes of blocks, increasing.
    const CLASSES: &'static [Class];
    /// The policy when a class has no block and there is no unused memory.
    const WHEN_DRY: WhenDry = WhenDry::Fail;
    /// A [`Store`] of this pool.
    type Store: Storage<Owner = Self>;
    /// Its one store.
    const STORE: &'static Self::Store;
}

/// A pool that everybody may allocate from.
pub trait SharedPool: Pool<Store: Storage<Sharing = Shared>> {}
impl<P: Pool<Store: Storage<Sharing = Shared>>> SharedPool for P {}

/// The memory of a pool: `BYTES` of it, for `CLASSES` classes. It carries the type of its owner, so it cannot serve two.
///
/// All of it is zero at first: it lies in `.bss`.
#[repr(C)] // The heads first: a class's is then within reach of an instruction's offset.
pub struct Store<P, const BYTES: usize, const CLASSES: usize, S: Sharing = Shared, C = Off> {
    heads: [S::Head; CLASSES],
    fresh: Cell,
    claimed: S::Claimed,
    statistics: C,
    memory: UnsafeCell<MaybeUninit<Memory<BYTES>>>,
    owner: Brand<P>,
}

/// Aligned as [`mainspring_core::pool::NATURAL`] says.
#[repr(C, align(8))]
struct Memory<const BYTES: usize>([u8; BYTES]);

// SAFETY: the words are changed as `Exclusion` permits, and of the memory everybody touches the blocks that are theirs.
unsafe impl<P, const BYTES: usize, const CLASSES: usize, S: Sharing, C: Sync> Sync
    for Store<P, BYTES, CLASSES, S, C>
{
}

impl<P, const BYTES: usize, const CLASSES: usize, S: Sharing, C: Statistics> Store<P, BYTES, CLASSES, S, C> {
    /// A store from which nothing was taken yet.
    #[must_use]
    pub const fn new() -> Self {
        Store {
            heads: [const { S::HEAD }; CLASSES],
            fresh: Cell::new(),
            claimed: S::UNCLAIMED,
            statistics: C::NEW,
            memory: UnsafeCell::new(MaybeUninit::uninit()),
            owner: PhantomData,
        }
    }
}

impl<P, const BYTES: usize, const CLASSES: usize, S: Sharing, C: Statistics> Default
    for Store<P, BYTES, CLASSES, S, C>
{
    fn default() -> Self {
        Self::new()
    }
}

/// A [`Store`], whatever its numbers are.
pub trait Storage: private::Sealed + Sync {
    /// Whose it is.
    type Owner;
    /// [`Shared`] or [`Exclusive`](super::Exclusive).
    type Sharing: Sharing;
    /// [`Off`](super::Off) or [`On`](super::On).
    type Statistics: Statistics;
    /// Bytes of memory.
    const BYTES: usize;
    /// Classes that there are lists for.
    const CLASSES: usize;
    /// Bytes from the store to its memory.
    #[doc(hidden)]
    const MEMORY: usize;

    #[doc(hidden)]
    fn head(&self, class: usize) -> &<Self::Sharing as Sharing>::Head;
    #[doc(hidden)]
    fn fresh(&self) -> &Cell;
    #[doc(hidden)]
    fn claimed(&self) -> &<Self::Sharing as Sharing>::Claimed;
    #[doc(hidden)]
    fn statistics(&self) -> &Self::Statistics;
    #[doc(hidden)]
    fn memory(&self) -> *mut u8;
}

impl<P, const BYTES: usize, const CLASSES: usize, S: Sharing, C> private::Sealed
    for Store<P, BYTES, CLASSES, S, C>
{
}
impl<P, const BYTES: usize, const CLASSES: usize, S: Sharing, C: Statistics> Storage
    for Store<P, BYTES, CLASSES, S, C>
{
    type Owner = P;
    type Sharing = S;
    type Statistics = C;
    const BYTES: usize = BYTES;
    const CLASSES: usize = CLASSES;
    const MEMORY: usize = core::mem::offset_of!(Self, memory);

    #[inline(always)]
    fn head(&self, class: usize) -> &S::Head {
        &self.heads[class]
    }

    #[inline(always)]
    fn fresh(&self) -> &Cell {
        &self.fresh
    }

    #[inline(always)]
    fn claimed(&self) -> &S::Claimed {
        &self.claimed
    }

    #[inline(always)]
    fn statistics(&self) -> &C {
        &self.statistics
    }

    #[inline(always)]
    fn memory(&self) -> *mut u8 {
        self.memory.get().cast()
    }
}

/// The address is the store's, if the class is known, and the word is one of the class's heads: `LIST` is 0 for the list
/// that blocks are taken from, 1 for the one that anybody may push to.
pub(crate) struct HeadOf<P, W, const LIST: usize>(PhantomData<(P, W)>);

impl<P: Pool, W: Which, const LIST: usize> Offset for HeadOf<P, W, LIST> {
    const BYTES: usize = match W::KNOWN {
        Some(class) => class * size_of::<HeadIn<P>>() + LIST * <HeadIn<P> as Head>::RETURNED,
        None => 0,
    };
}

/// As [`HeadOf`], for the word after all heads.
pub(crate) struct FreshOf<P, W>(PhantomData<(P, W)>);

impl<P: Pool, W: Which> Offset for FreshOf<P, W> {
    const BYTES: usize = match W::KNOWN {
        Some(_) => <P::Store as Storage>::CLASSES * size_of::<HeadIn<P>>(),
        None => 0,
    };
    const IS_TESTED: bool = false;
}

type HeadIn<P> = <<<P as Pool>::Store as Storage>::Sharing as Sharing>::Head;

/// A pool without room, and the value that was not stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Exhausted<T>(pub T);

mod private {
    pub trait Sealed {}
}
