//! Control and status registers.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst, compiler_fence};

use super::sources;
use crate::device::{Device, Lines};
use crate::model::App;

/// `mstatus.MIE`: interrupts come.
pub(super) const MIE: u32 = 1 << 3;
/// `mie.MEIE`: the external interrupt comes, which on a `VexRiscv` is any of 32.
const MEIE: u32 = 1 << 11;

/// Holds back every interrupt, and returns `mstatus` as it was.
#[inline(always)]
pub(super) fn hold() -> u32 {
    let before;
    // SAFETY: clearing MIE breaks no promise of other code. Declared to touch memory: nothing moves up across it.
    unsafe { asm!("csrrci {}, mstatus, 8", out(reg) before, options(nostack, preserves_flags)) };
    before
}

/// Lets interrupts through.
///
/// # Safety
///
/// Every task may come that the mask lets through.
#[inline(always)]
pub(super) unsafe fn allow() {
    // SAFETY: the caller's promise. Declared to touch memory: nothing moves down across it.
    unsafe { asm!("csrsi mstatus, 8", options(nostack, preserves_flags)) };
}

/// Sets what is set in `bits` of `mstatus`: MIE, or all of what [`hold`] found. Of the others those are set already: a trap's return, which
/// leaves MPP at the least privilege, is nothing that anybody minds before the next trap, which sets it; and what a section turns off
/// besides, such as a floating-point unit, is on again.
///
/// # Safety
///
/// Every task may come that the mask lets through, if MIE is among them.
#[inline(always)]
pub(super) unsafe fn release(bits: u32) {
    // SAFETY: the caller's promise. Declared to touch memory: nothing moves down across it.
    unsafe { asm!("csrs mstatus, {}", in(reg) bits, options(nostack, preserves_flags)) };
}

/// One instruction on the register that says which interrupts may come: `mie`, or a `VexRiscv`'s own.
macro_rules! on_mask {
    ($app:ty, $template:literal, $($operand:tt)*) => {
        match const { <<$app as App>::Device as Device>::LINES } {
            // SAFETY: the callers say why.
            Lines::Standard => unsafe {
                asm!($template, $($operand)*, mask = const 0x304, options(nostack, preserves_flags));
            },
            // SAFETY: as above; the `Device` says that there is this register.
            Lines::VexRiscv => unsafe {
                asm!($template, $($operand)*, mask = const 0xbc0, options(nostack, preserves_flags));
            },
            Lines::Plic(_) => unreachable!("the mask is a word"),
        }
    };
}

/// The mask of an application behind a PLIC: a word that traps read and change too. They leave it as they found it, except for bits that
/// `enable` and `disable` change.
static MASK: AtomicU32 = AtomicU32::new(0);

/// Changes the word in one instruction, or with interrupts held back where no instruction does it. Nothing moves across it.
#[inline(always)]
fn change<const SETS: bool>(bits: u32) -> u32 {
    compiler_fence(SeqCst);
    #[cfg(target_has_atomic = "32")]
    let before = if SETS {
        MASK.fetch_or(bits, Relaxed)
    } else {
        MASK.fetch_and(!bits, Relaxed)
    };
    #[cfg(not(target_has_atomic = "32"))]
    let before = {
        let (interrupts, before) = (hold(), MASK.load(Relaxed));
        MASK.store(if SETS { before | bits } else { before & !bits }, Relaxed);
        // SAFETY: this is what `hold` found.
        unsafe { release(interrupts) };
        before
    };
    compiler_fence(SeqCst);
    before
}

/// Clears bits, and returns what was set before, of all.
#[inline(always)]
pub(super) fn clear<A: App>(bits: u32) -> u32 {
    if const { sources::of::<A>().is_some() } {
        return change::<false>(bits);
    }
    let before;
    // To hold interrupts back breaks no promise of other code.
    on_mask!(A, "csrrc {}, {mask}, {}", out(reg) before, in(reg) bits);
    before
}

/// Sets bits.
///
/// # Safety
///
/// The tasks that they belong to may come.
#[inline(always)]
pub(super) unsafe fn set<A: App>(bits: u32) {
    if const { sources::of::<A>().is_some() } {
        let _ = change::<true>(bits);
        return;
    }
    // The caller's promise.
    on_mask!(A, "csrs {mask}, {}", in(reg) bits);
}

/// All bits.
#[inline(always)]
pub(super) fn mask<A: App>() -> u32 {
    if const { sources::of::<A>().is_some() } {
        return MASK.load(Relaxed);
    }
    let bits;
    // Reading it has no effect.
    on_mask!(A, "csrr {}, {mask}", out(reg) bits);
    bits
}

/// The bits of the interrupts that want to come.
#[inline(always)]
pub(super) fn lines<A: App>() -> u32 {
    let bits;
    match const { <A::Device as Device>::LINES } {
        // SAFETY: reading `mip` has no effect.
        Lines::Standard => unsafe { asm!("csrr {}, mip", out(reg) bits, options(nostack, preserves_flags)) },
        // SAFETY: as above; the `Device` says that there is this register.
        Lines::VexRiscv => unsafe {
            asm!("csrr {}, 0xfc0", out(reg) bits, options(nostack, preserves_flags));
        },
        // They ask: see `plic::collect`.
        Lines::Plic(_) => bits = 0,
    }
    bits
}

/// Lets the interrupts of `bits` through and no others.
///
/// # Safety
///
/// Interrupts are held back, and the tasks may come when they are not any more.
#[inline(always)]
pub(super) unsafe fn begin<A: App>(bits: u32) {
    if const { sources::of::<A>().is_some() } {
        MASK.store(bits, Relaxed);
        return;
    }
    // The caller's promise.
    on_mask!(A, "csrw {mask}, {}", in(reg) bits);
    if matches!(const { <A::Device as Device>::LINES }, Lines::VexRiscv) {
        // SAFETY: the caller's promise.
        unsafe { asm!("csrw mie, {}", in(reg) MEIE, options(nostack, preserves_flags)) };
    }
}
