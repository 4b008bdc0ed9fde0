//! Cores with LDREX and STREX: a context that changes a shared word holds no other back, and tries again if one came in between.
//!
//! The monitor is cleared by every exception's entry and return (ARMv7-M ARM A3.4, B1.5.6, B1.5.8), so a STREX that
//! succeeds has seen no other context since its LDREX: the word is as it was, and so are the links that follow from it. Between the
//! two there is one load or one store of a link. The architecture leaves it to the implementation whether a store of
//! the same core clears the monitor; no Cortex-M is known to do so.

use core::arch::asm;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU32;

use mainspring_core::pool::Word;
use mainspring_core::threads::Ownership;

use crate::model::Threaded;
#[cfg(cut_at_once)]
use crate::pool::word::Carve;
use crate::pool::word::{Cell, Offset};

/// A word that every context may change at any time: the one at the offset `O` from `base`.
///
/// The result of the store, and a loaded word that is tested first, are in low registers: CBZ and CBNZ take no others.
pub(crate) struct Shared<'w, O> {
    base: *mut u32,
    word: PhantomData<(&'w Cell, O)>,
}

impl<'w, O: Offset> Shared<'w, O> {
    /// # Safety
    ///
    /// `cell` is at the offset `O` from `base`.
    #[inline(always)]
    pub(crate) unsafe fn new(base: *mut u32, _cell: &'w Cell) -> Self {
        let word = PhantomData;
        Shared { base, word }
    }
}

impl<O: Offset> Word for Shared<'_, O> {
    #[inline(always)]
    fn load_linked(&self) -> u32 {
        let value;
        if const { O::IS_TESTED } {
            // SAFETY: a load of a word that is there, as `new` asks, and always initialised. Declared to touch memory: what follows is not moved up.
            unsafe {
                asm!(
                    "ldrex r2, [{}, #{}]",
                    in(reg) self.base,
                    const O::BYTES,
                    out("r2") value,
                    options(nostack, preserves_flags)
                );
            }
        } else {
            // SAFETY: as above.
            unsafe {
                asm!(
                    "ldrex {}, [{}, #{}]",
                    out(reg) value,
                    in(reg) self.base,
                    const O::BYTES,
                    options(nostack, preserves_flags)
                );
            }
        }
        value
    }

    #[inline(always)]
    fn store_conditional(&self, value: u32) -> bool {
        let failed: u32;
        // SAFETY: a store to a word that is changed in this way alone. Declared to touch memory: a block's contents are
        // written before it is given away. The result must not be in a register that the instruction reads.
        unsafe {
            asm!(
                "strex r3, {}, [{}, #{}]",
                in(reg) value,
                in(reg) self.base,
                const O::BYTES,
                out("r3") failed,
                options(nostack, preserves_flags)
            );
        }
        failed == 0
    }

    #[inline(always)]
    fn store_again(&self, value: u32) -> bool {
        let failed: u32;
        // SAFETY: as above. The result is in another register, so that the attempts do not become one piece of code.
        unsafe {
            asm!(
                "strex r12, {}, [{}, #{}]",
                in(reg) value,
                in(reg) self.base,
                const O::BYTES,
                out("r12") failed,
                options(nostack, preserves_flags)
            );
        }
        failed == 0
    }
}

/// Holds nothing back.
pub(crate) struct SharedSection;

impl SharedSection {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        SharedSection
    }
}

/// Writes `value`: two words by two STR, 2 cycles on a Cortex-M3 or M4, not by an STRD of 3 (Cortex-M3 TRM 3.3.1), which
/// LLVM would take if it knew that the place is aligned. Without optimisations that would be a call, for more than the cycle.
///
/// # Safety
///
/// As for [`core::ptr::write`].
#[inline(always)]
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    if size_of::<T>() == 8 && !cfg!(cut_at_once) {
        // SAFETY: the caller's promise is more than what is asked for.
        unsafe { place.write_unaligned(value) };
    } else {
        // SAFETY: the caller's promise.
        unsafe { place.write(value) };
    }
}

/// That many words from `base`. Written out, because LLVM turns a scaled halfword into a mask and a shift with two words of
/// constants.
///
/// # Safety
///
/// As for [`pointer::add`].
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // What it points to is not looked at.
pub(crate) unsafe fn behind(base: *mut u8, words: u32) -> *mut u8 {
    let place;
    // SAFETY: a number.
    unsafe {
        asm!(
            "add.w {}, {}, {}, lsl #2",
            out(reg) place,
            in(reg) base,
            in(reg) words,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    place
}

/// The word at `place`. Its present owner may have written anything there, of any type: the compiler must not think
/// anything of it, so the load is not one of its own.
///
/// # Safety
///
/// `place` is a word of memory.
#[inline(always)]
pub(crate) unsafe fn load(place: *const u32) -> u32 {
    let value;
    // SAFETY: the caller's promise.
    unsafe {
        asm!("ldr {}, [{}]", out(reg) value, in(reg) place, options(nostack, preserves_flags, readonly));
    };
    value
}

/// Changes `word` to what `f` makes of it; leaves it alone, and says so, where that is nothing. Whoever comes in between
/// does so before it or after it.
#[inline(always)]
pub(crate) fn update(word: &AtomicU32, f: impl Fn(u32) -> Option<u32>) -> bool {
    loop {
        let (value, failed): (u32, u32);
        // SAFETY: a load of a word that is there. Declared to touch memory: what follows is not moved up.
        unsafe {
            asm!("ldrex r2, [{}]", in(reg) word.as_ptr(), out("r2") value, options(nostack, preserves_flags));
        };
        let Some(new) = f(value) else { return false };
        // SAFETY: a store to a word that is atomic. Declared to touch memory: what comes before is not moved down.
        unsafe {
            asm!(
                "strex r3, {}, [{}]",
                in(reg) new,
                in(reg) word.as_ptr(),
                out("r3") failed,
                options(nostack, preserves_flags)
            );
        }
        if failed == 0 {
            return true;
        }
    }
}

/// Adds 1 to `word`, or where `DOWN` takes 1 off, unless that gives a negative number: then it is left alone. Whether it was
/// done.
#[inline(always)]
pub(crate) fn count<const DOWN: bool>(word: &AtomicU32) -> bool {
    count_at_once::<DOWN>(word)
        || update(word, |count| {
            let new = if DOWN {
                count.wrapping_sub(1)
            } else {
                count.wrapping_add(1)
            };
            (new as i32 >= 0).then_some(new)
        })
}

/// What changes a word if a condition holds and nobody comes in between, in one branch for both: the store and the look at what
/// became of it are skipped where the condition fails, and leave the flags then, which say "not equal" too.
macro_rules! at_once {
    ($word:ident, $test:literal, $if:literal, $store:literal, $($operand:tt)*) => {
        // SAFETY: one word, which is atomic. Declared to touch memory: nothing moves across it.
        unsafe {
            asm!(
                "ldrex r2, [{word}]",
                $test,
                concat!("itt ", $if),
                concat!("strex", $if, " r3, ", $store, ", [{word}]"),
                concat!("cmp", $if, " r3, #0"),
                "bne {not}",
                word = in(reg) $word.as_ptr(),
                $($operand)*
                out("r2") _,
                out("r3") _,
                not = label { core::hint::cold_path(); return false },
                options(nostack)
            );
        }
    };
}

/// As [`count`]; also not done if another context came in between.
#[inline(always)]
pub(crate) fn count_at_once<const DOWN: bool>(word: &AtomicU32) -> bool {
    if DOWN {
        at_once!(word, "subs r2, r2, #1", "pl", "r2",);
        return true;
    }
    at_once!(word, "adds r2, r2, #1", "pl", "r2",);
    true
}

/// Gives a free mutex to `T`. Not done if it has an owner, or another context came in between.
#[inline(always)]
pub(crate) fn claim_at_once<T: Threaded>(word: &AtomicU32) -> bool {
    at_once!(
        word, "cmp r2, #{free}", "eq", "{own}",
        free = const Ownership::FREE, own = in(reg) Ownership::held_by(T::RANK),
    );
    true
}

/// Frees the mutex that `T` has and no thread wants. Not done if a thread wants it, or another context came in between.
#[inline(always)]
pub(crate) fn give_back_at_once<T: Threaded>(word: &AtomicU32) -> bool {
    // What is left is `FREE`; of 0, its value while a thread wants it, a negative number.
    at_once!(
        word, "subs r2, r2, #{to_free}", "pl", "r2",
        to_free = const const { Ownership::held_by(T::RANK) - Ownership::FREE },
    );
    true
}

/// The block at this address; none, if that is null.
#[inline(always)]
fn block_at(address: *mut u8) -> Option<NonNull<u8>> {
    if cfg!(cut_at_once) {
        // Where nothing is inlined, `new` is a call.
        // SAFETY: one is laid out as the other, and nothing is what null is (the documentation of `NonNull`, "Representation").
        return unsafe { core::mem::transmute::<*mut u8, Option<NonNull<u8>>>(address) };
    }
    NonNull::new(address)
}

/// Takes the first block out of the list at `base` plus `O`, if there is one. What
/// [`mainspring_core::pool::pop`] does, as one piece: for
/// builds with few optimisations, and for lists that are the only one.
///
/// # Safety
///
/// The list's head lies there; every block in the list came there as [`push`] or [`mainspring_core::pool::push`] puts it.
#[inline(always)]
pub(crate) unsafe fn pop<O: Offset, T>(base: *const T) -> Option<NonNull<u8>> {
    let block: *mut u8;
    // SAFETY: the caller's promise; see the module. Declared to touch memory: nothing moves across it.
    unsafe {
        asm!(
            "2: ldrex r2, [{base}, #{offset}]",
            "cbz r2, 3f",
            "ldr {next}, [r2]",
            "strex {failed}, {next}, [{base}, #{offset}]",
            "cmp {failed}, #0",
            "bne 2b",
            "3:",
            base = in(reg) base,
            offset = const O::BYTES,
            next = out(reg) _,
            failed = out(reg) _,
            out("r2") block,
            options(nostack)
        );
    }
    block_at(block)
}

/// Cuts a block off the unused memory: what [`mainspring_core::pool::cut`] does for a class of which no block is aligned to
/// more than 8, as one piece. None if what is left does not suffice.
///
/// # Safety
///
/// The store of which `C` has the numbers is at `base`.
#[cfg(cut_at_once)]
#[inline(always)]
pub(crate) unsafe fn cut<C: Carve, T>(base: *const T) -> Option<NonNull<u8>> {
    let block: *mut u8;
    // SAFETY: the caller's promise; see the module. Declared to touch memory: nothing moves across it.
    unsafe {
        asm!(
            "2: ldrex r2, [{base}, #{fresh}]",
            "movw {number}, #{limit}",
            "mov.w {block}, #0",
            "cmp {number}, r2, lsr #16",
            "bls 3f",
            "movw {number}, #{granules}",
            ".if {top}",
            "add {number}, r2, {number}, lsl #16",
            ".else",
            "movt {number}, #{granules}",
            "add {number}, r2",
            ".endif",
            "strex {block}, {number}, [{base}, #{fresh}]",
            "cmp {block}, #0",
            "bne 2b",
            "movw {block}, #{origin} & 0xffff",
            ".if {origin} >> 16",
            "movt {block}, #{origin} >> 16",
            ".endif",
            "add {block}, {base}",
            "uxth {number}, r2",
            ".if {top}",
            "sub {number}, {number}, r2, lsr #16",
            ".endif",
            "add {block}, {block}, {number}, lsl #2",
            "3:",
            base = in(reg) base,
            fresh = const C::FRESH,
            limit = const C::LIMIT,
            granules = const C::GRANULES,
            top = const C::TOP as usize,
            origin = const C::ORIGIN,
            number = out(reg) _,
            block = out(reg) block,
            out("r2") _,
            options(nostack)
        );
    }
    block_at(block)
}

/// Puts `block` at the front of the list at `base` plus `O`.
///
/// # Safety
///
/// The list's head lies there; the caller owns the block, a word of memory at the least, and gives it away.
#[cfg(at_once)]
#[inline(always)]
pub(crate) unsafe fn push<O: Offset, T>(base: *const T, block: *mut u8) {
    // SAFETY: the caller's promise; see the module. Declared to touch memory: nothing moves across it.
    unsafe {
        asm!(
            "2: ldrex {first}, [{base}, #{offset}]",
            "str {first}, [{block}]",
            "strex {failed}, {block}, [{base}, #{offset}]",
            "cmp {failed}, #0",
            "bne 2b",
            base = in(reg) base,
            block = in(reg) block,
            offset = const O::BYTES,
            first = out(reg) _,
            failed = out(reg) _,
            options(nostack)
        );
    }
}
