//! How blocks leave a pool's memory and come back.

#![allow(unsafe_code)] // Blocks are raw memory: who owns one is said by the boxes, not by the types here.

use core::marker::PhantomData;
use core::ptr::NonNull;

use mainspring_core::pool::{self, GRANULE, Links, NONE, Shape, Table, Taken, Word};

use super::sharing::{Exclusion, Head, Shared, Which};
use super::statistics::Statistics;
use super::storage::{FreshOf, HeadOf, Pool, SharedPool, Storage};
use crate::arch;

/// Which class a type belongs to: a constant, or an error of the compiler.
pub(crate) struct Fit<T, P>(PhantomData<(T, P)>);

impl<T, P: Pool> Fit<T, P> {
    /// Whether there is a block at all: a value without size needs none.
    pub(crate) const NEEDS_BLOCK: bool = size_of::<T>() != 0;

    /// Whether a block comes and goes in one piece of assembly, for builds with few optimisations: where nothing is counted.
    #[cfg(at_once)]
    pub(crate) const AT_ONCE: bool = Self::NEEDS_BLOCK && {
        let _ = Self::CLASS; // Stops the compiler where there is none.
        !<<P::Store as Storage>::Statistics as Statistics>::COUNTS
    };

    /// The class; of no meaning for a value without size.
    pub(crate) const CLASS: usize = {
        check_pool::<P>();
        let (size, align) = (size_of::<T>(), align_of::<T>());
        if size == 0 {
            0
        } else if let Some(class) = class::<P>(size, align) {
            class
        } else {
            let text = Table(P::CLASSES).too_large(P::NAME, size, align);
            panic!("{}", text.as_str())
        }
    };
}

/// The class of `P` for values of `size` bytes aligned to `align`, as an index of [`Pool::CLASSES`].
#[must_use]
#[inline(always)]
pub const fn class<P: Pool>(size: usize, align: usize) -> Option<usize> {
    Table(P::CLASSES).class(size, align)
}

/// The bytes of its block that a `T` leaves unused. A constant, so that a program can put a limit on it:
/// `const { assert!(waste::<Message, Heap>() <= 8) }`.
#[must_use]
pub const fn waste<T, P: Pool>() -> usize {
    if Fit::<T, P>::NEEDS_BLOCK {
        P::CLASSES[Fit::<T, P>::CLASS].size - size_of::<T>()
    } else {
        0
    }
}

/// Stops the compiler if something is wrong with the pool, and says what.
///
/// # Panics
///
/// While compiling.
pub const fn check_pool<P: Pool>() {
    if let Some(text) = Table(P::CLASSES).problem(P::NAME, <P::Store as Storage>::BYTES) {
        panic!("{}", text.as_str());
    }
    assert!(
        P::CLASSES.len() == <P::Store as Storage>::CLASSES,
        "the store has another number of classes than the pool"
    );
}

/// The most of the pool's memory that was ever in use, in bytes, the blocks that are free now included. It needs no
/// counting: it is where the unused memory begins. Of an [`Exclusive`](super::Exclusive) pool its key says it:
/// [`Key::high_water`](super::Key::high_water).
#[must_use]
pub fn high_water<P: SharedPool>() -> usize {
    let _section = Shared::section();
    // SAFETY: inside of the section, and whoever cuts blocks off has one as well.
    unsafe { used::<P, Shared>() }
}

/// Cuts blocks for `count` values of type `T` off the unused memory, and has them wait in their list. For the start: the first
/// allocations then take as long as all others. Returns for how many there was memory.
///
/// The blocks belong to their class from then on, as if they had been in use.
pub fn prepare<T, P: SharedPool>(count: usize) -> usize {
    let class = const { Fit::<T, P>::CLASS };
    if !Fit::<T, P>::NEEDS_BLOCK {
        return count;
    }
    let blocks = Blocks(P::STORE.memory());
    let granules = (<P::Store as Storage>::BYTES / GRANULE) as u32;
    let base = blocks.0.addr() as u32;
    for prepared in 0..count {
        let _section = Shared::section();
        // SAFETY: inside of the section.
        let fresh = unsafe { Shared::word(P::STORE.fresh()) };
        let Some(place) = pool::cut(&fresh, P::CLASSES[class], granules, base) else {
            return prepared;
        };
        // SAFETY: `cut` answers with a place inside of the memory.
        let block = NonNull::new(unsafe { blocks.0.add(GRANULE * place as usize) });
        if let Some(block) = block {
            // SAFETY: inside of the section; the block was nobody's, and is of this class.
            unsafe {
                let head = head::<P, Shared, Of<T, P>, 0>(P::STORE, class);
                pool::push(&head, &blocks, blocks.number(block));
            }
        }
    }
    count
}

/// # Safety
///
/// Inside of a section of `X`, which is what the pool's memory is handed out under.
pub(crate) unsafe fn used<P: Pool, X: Exclusion>() -> usize {
    // SAFETY: the caller's promise.
    let fresh = unsafe { X::word(P::STORE.fresh()) };
    GRANULE * pool::used(fresh.load_linked()) as usize
}

/// The class of a `T`.
pub(crate) struct Of<T, P>(PhantomData<(T, P)>);

impl<T, P: Pool> Which for Of<T, P> {
    const KNOWN: Option<usize> = Some(Fit::<T, P>::CLASS);
}

/// The head of a class's list, number `LIST` of its lists.
///
/// # Safety
///
/// Inside of a section of `X`, which protects that list; `class` is `W`.
#[inline(always)]
unsafe fn head<P: Pool, X: Exclusion, W: Which, const LIST: usize>(
    store: &'static P::Store,
    class: usize,
) -> X::Word<'static, HeadOf<P, W, LIST>> {
    let head = store.head(class);
    let cell = if LIST == 0 { head.free() } else { head.returned() };
    // The heads are what a store begins with.
    let base = match W::KNOWN {
        Some(_) => (&raw const *store).cast_mut().cast(),
        None => cell.get(),
    };
    // SAFETY: for a class that is known, `HeadOf` has the offset of its head from the store's start; the rest is the
    // caller's promise.
    unsafe { X::behind(base, cell) }
}

/// The word that says what was never used.
///
/// # Safety
///
/// Inside of a section of `X`, which is what the pool's memory is handed out under.
#[inline(always)]
unsafe fn fresh<P: Pool, X: Exclusion, W: Which>(
    store: &'static P::Store,
) -> X::Word<'static, FreshOf<P, W>> {
    let cell = store.fresh();
    // It lies after the heads.
    let base = match W::KNOWN {
        Some(_) => (&raw const *store).cast_mut().cast(),
        None => cell.get(),
    };
    // SAFETY: as in `head`.
    unsafe { X::behind(base, cell) }
}

/// Takes a block of `class`, which is `W`, for a value of `size` bytes.
///
/// # Safety
///
/// `X` is what the store's kind of sharing asks for; if that is [`Exclusive`](super::Exclusive), the caller has the key.
#[inline(always)]
pub(crate) unsafe fn take<P: Pool, X: Exclusion, W: Which>(class: usize, size: usize) -> Option<NonNull<u8>> {
    // SAFETY: the caller's promise.
    unsafe { take_from::<P, X, W, true>(class, size) }
}

/// As [`take`], where the class's list was empty just now. Everybody may take from the pool.
///
/// # Safety
///
/// As for [`take`].
#[cfg(at_once)]
#[inline(always)]
pub(crate) unsafe fn elsewhere<P: SharedPool, W: Which>(class: usize, size: usize) -> Option<NonNull<u8>> {
    // SAFETY: the caller's promise.
    unsafe { take_from::<P, Shared, W, false>(class, size) }
}

/// # Safety
///
/// As for [`take`].
#[inline(always)]
unsafe fn take_from<P: Pool, X: Exclusion, W: Which, const LIST: bool>(
    class: usize,
    size: usize,
) -> Option<NonNull<u8>> {
    let store = X::opaque(P::STORE);
    let memory = store.memory();
    let shape = Shape {
        classes: P::CLASSES,
        when_dry: P::WHEN_DRY,
        granules: const { (<P::Store as Storage>::BYTES / GRANULE) as u32 },
        base: memory.addr() as u32,
    };
    let _section = X::section();
    // SAFETY: inside of the section, which is the right one by the caller's promise.
    let may_have = LIST && unsafe { X::collect(store.head(class)) };
    // SAFETY: as above.
    let first = unsafe { head::<P, X, W, 0>(store, class) };
    let larger = |class| {
        // SAFETY: as above.
        unsafe {
            let _ = X::collect(store.head(class));
            X::word(store.head(class).free())
        }
    };
    // SAFETY: as above.
    let fresh = || unsafe { fresh::<P, X, W>(store) };
    // SAFETY: all heads are of this store's lists, whose blocks come from its memory, by `cut` first and by `give` later.
    let taken = unsafe {
        if !may_have {
            pool::take_elsewhere(&shape, class, fresh, larger, &Blocks(memory))
        } else if X::ALONE {
            Some(Taken::Again(pool::pop(&first, &Blocks(memory))))
        } else {
            pool::take(&shape, class, &first, fresh, larger, &Blocks(memory))
        }
    };
    // SAFETY: `count` is what counting must be done in, and this is a section of `X`.
    unsafe { count::<P, X>(store, |statistics| statistics.took(class, size, taken.is_some())) };
    match taken? {
        Taken::Again(block) => NonNull::new(Blocks(memory).pointer(block)),
        // SAFETY: `cut` answers with a place inside of the memory.
        Taken::First(granules) => Some(unsafe { unused::<P, W>(memory, granules) }),
    }
}

/// The place that so many granules lie before, in memory that nobody has used. What is not at the top is at what the word says that was
/// used, and nothing else.
///
/// # Safety
///
/// There are more.
#[inline(always)]
#[cfg_attr(not(exclusives), allow(clippy::extra_unused_type_parameters))] // The addition is the compiler's there.
unsafe fn unused<P: Pool, W: Which>(memory: *mut u8, granules: u32) -> NonNull<u8> {
    #[cfg(exclusives)]
    if const { matches!(W::KNOWN, Some(class) if P::CLASSES[class].align <= GRANULE) } {
        // SAFETY: the caller's promise; a granule is a word. It is in a static, so it is not null.
        return unsafe { NonNull::new_unchecked(arch::behind(memory, granules)) };
    }
    // SAFETY: as above.
    unsafe { NonNull::new_unchecked(memory.add(GRANULE * granules as usize)) }
}

/// Counts, if the pool does, inside of a section of [`Shared`].
///
/// # Safety
///
/// Inside of a section of `X`.
#[inline(always)]
unsafe fn count<P: Pool, X: Exclusion>(store: &P::Store, f: impl FnOnce(&<P::Store as Storage>::Statistics)) {
    if const { <P::Store as Storage>::Statistics::COUNTS } {
        // SAFETY: the caller's promise.
        unsafe { X::counting(|| f(store.statistics())) };
    }
}

/// Gives a block back to `class`, which is `W`, from anywhere.
///
/// # Safety
///
/// The caller owns the block, and gives it away; it was taken from `P` for `class`.
#[inline(always)]
pub(crate) unsafe fn give<P: Pool, W: Which>(class: usize, block: NonNull<u8>) {
    // SAFETY: the caller's promise; everybody may push to the second list.
    unsafe { push::<P, Shared, W, 1>(class, block) };
}

/// A block that goes back when this is dropped: also when the destructor of the value in it panics.
pub(crate) struct Block<P: Pool, W: Which> {
    class: usize,
    place: NonNull<u8>,
    pool: PhantomData<(P, W)>,
}

impl<P: Pool, W: Which> Block<P, W> {
    /// # Safety
    ///
    /// The caller owns the block, and gives it away; it was taken from `P` for `class`, which is `W`.
    #[inline(always)]
    pub(crate) unsafe fn new(class: usize, place: NonNull<u8>) -> Self {
        let pool = PhantomData;
        Block { class, place, pool }
    }
}

impl<P: Pool, W: Which> Drop for Block<P, W> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the promise that `new` asks for.
        unsafe { give::<P, W>(self.class, self.place) };
    }
}

/// Puts a block into the list number `LIST` of `class`, which is `W`.
///
/// # Safety
///
/// As for [`give`]; `X` keeps everybody else away from that list.
#[inline(always)]
pub(crate) unsafe fn push<P: Pool, X: Exclusion, W: Which, const LIST: usize>(
    class: usize,
    block: NonNull<u8>,
) {
    let store = X::opaque(P::STORE);
    let blocks = Blocks(store.memory());
    let _section = X::section();
    // SAFETY: the caller's promise.
    unsafe {
        pool::push(
            &head::<P, X, W, LIST>(store, class),
            &blocks,
            blocks.number(block),
        );
    };
    // SAFETY: `count` is what counting must be done in, and this is a section of `X`.
    unsafe { count::<P, X>(store, |statistics| statistics.gave(class)) };
}

/// The blocks in a piece of memory, each a number that is not [`NONE`].
pub(crate) struct Blocks(pub(crate) *mut u8);

/// On a chip a block's number is its address.
#[cfg(target_pointer_width = "32")]
#[allow(clippy::unused_self)] // The host has to know where they are.
impl Blocks {
    #[inline(always)]
    pub(crate) fn pointer(&self, block: u32) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(block as usize)
    }

    #[inline(always)]
    pub(crate) fn number(&self, block: NonNull<u8>) -> u32 {
        block.as_ptr().expose_provenance() as u32
    }
}

/// Addresses of the host do not fit: a number is the distance from the memory's start, and one more.
#[cfg(not(target_pointer_width = "32"))]
impl Blocks {
    pub(crate) fn pointer(&self, block: u32) -> *mut u8 {
        self.0.wrapping_add(block as usize - GRANULE)
    }

    pub(crate) fn number(&self, block: NonNull<u8>) -> u32 {
        (block.as_ptr().addr() - self.0.addr() + GRANULE) as u32
    }
}

#[allow(clippy::cast_ptr_alignment)] // Blocks are aligned to a granule at the least, which is a link's size.
impl Links for Blocks {
    #[inline(always)]
    unsafe fn next(&self, block: u32) -> u32 {
        debug_assert_ne!(block, NONE);
        // SAFETY: a block that was in the list lies in the memory, whoever owns it now.
        unsafe { arch::load(self.pointer(block).cast()) }
    }

    #[inline(always)]
    unsafe fn set_next(&self, block: u32, next: u32) {
        // SAFETY: the caller owns the block, which is a granule at the least, and aligned as one.
        unsafe { self.pointer(block).cast::<u32>().write(next) }
    }
}
