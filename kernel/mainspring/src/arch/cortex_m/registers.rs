//! The registers of every Cortex-M that the kernel uses, and PRIMASK.

use core::arch::asm;
use core::ptr;

use crate::level::Transition;

/// Interrupt set-enable registers (ARMv7-M ARM B3.4.4).
pub(super) const ISER: usize = 0xe000_e100;
/// Interrupt clear-enable registers (B3.4.5).
pub(super) const ICER: usize = 0xe000_e180;
/// Interrupt set-pending registers (B3.4.6).
pub(super) const ISPR: usize = 0xe000_e200;
/// Interrupt priority registers, a byte each (B3.4.9).
pub(super) const IPR: usize = 0xe000_e400;
/// Interrupt control and state register (B3.2.4), with the pending bits of two system exceptions.
pub(super) const ICSR: usize = 0xe000_ed04;
pub(super) const ICSR_PENDSVSET: u32 = 1 << 28;
pub(super) const ICSR_PENDSTSET: u32 = 1 << 26;
/// System handler priority register 3 (B3.2.12): PendSV in bits 16–23, SysTick in bits 24–31.
pub(super) const SHPR3: usize = 0xe000_ed20;
/// Words of interrupts, 32 each, that there can be.
pub(super) const WORDS: u16 = 8;

/// Holds back every interrupt, and says whether they were held back before.
#[inline(always)]
pub fn hold() -> u32 {
    let before: u32;
    // SAFETY: reading PRIMASK and setting it breaks no promise of other code; `CPSID` raises the priority and so
    // takes effect at once. The second statement is declared to touch memory: nothing moves up across it.
    unsafe {
        asm!("mrs {}, PRIMASK", out(reg) before, options(nomem, nostack, preserves_flags));
        asm!("cpsid i", options(nostack, preserves_flags));
    }
    before
}

/// Puts PRIMASK back to what [`hold`] found. Code that this kernel does not know may have set it, such as a
/// `critical_section` around the caller, so it is not simply cleared.
///
/// # Safety
///
/// `before` is what the [`hold`] found that this ends.
#[inline(always)]
pub unsafe fn release(before: u32) {
    // SAFETY: `before` was read from PRIMASK; code that had set it still finds it set. Declared to touch memory: no
    // access of the section moves down across it.
    unsafe { asm!("msr PRIMASK, {}", in(reg) before, options(nostack, preserves_flags)) };
}

/// Runs `f` while every interrupt is held back.
///
/// # Safety
///
/// None is needed here.
#[inline(always)]
pub(crate) unsafe fn global_section<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    let before = hold();
    let out = f();
    // SAFETY: this is what it found.
    unsafe { release(before) };
    out
}

/// Where the register that holds the bit of interrupt `number` is, in the bank at `base`.
pub(super) const fn bank(base: usize, number: u16) -> usize {
    base + 4 * (number as usize / 32)
}

pub(super) const fn bit(number: u16) -> u32 {
    1 << (number % 32)
}

/// # Safety
///
/// `register` is one of the NVIC or the system control block, which are there on every Cortex-M, and nobody relies on what
/// `value` changes there.
#[inline(always)]
pub(super) unsafe fn write(register: usize, value: u32) {
    // SAFETY: the caller's promise.
    unsafe { ptr::write_volatile(ptr::with_exposed_provenance_mut(register), value) };
}

/// Where the system control space starts (ARMv7-M ARM B3.2.1).
pub(super) const SYSTEM_SPACE: usize = 0xe000_e000;

/// The start of the system control space, which is one instruction, so that a register's address is an offset of the store: the compiler
/// would take two instructions for that address.
#[inline(always)]
pub(super) fn system_space() -> *mut u32 {
    let mut start = SYSTEM_SPACE;
    if cfg!(basepri) {
        // SAFETY: no instruction. It only makes the number unknown to the compiler.
        unsafe { asm!("/* {} */", inout(reg) start, options(pure, nomem, nostack, preserves_flags)) };
    }
    ptr::with_exposed_provenance_mut(start)
}
