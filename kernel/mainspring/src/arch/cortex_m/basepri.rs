//! Cores with BASEPRI: a section raises the threshold below which nothing starts.

use core::arch::asm;
use core::ptr;

use mainspring_core::{Plan, Restore, Text, Vector};

use super::registers::{IPR, SHPR3};
use crate::level::{By, Transition};

/// The least number of priority bits (ARMv7-M ARM B1.5.4: 8 to 256 levels; the same on ARMv8-M with the Main Extension).
pub(crate) const LEAST_PRIORITY_BITS: u8 = 3;

/// Runs `f` with BASEPRI at `raised`, or at what it held if that holds more back.
///
/// # Safety
///
/// Where `restore` names a value, BASEPRI holds it now.
#[inline(always)]
pub(crate) unsafe fn threshold_section<W: Transition, O>(
    raised: u8,
    restore: Restore,
    f: impl FnOnce() -> O,
) -> O {
    let before = match restore {
        Restore::Known(value) => u32::from(value),
        Restore::Read => read(),
    };
    raise(raised);
    let out = f();
    // SAFETY: this is what it held.
    unsafe { lower(before) };
    out
}

#[inline(always)]
pub(super) fn read() -> u32 {
    let value;
    // SAFETY: reading BASEPRI has no effect.
    unsafe { asm!("mrs {}, BASEPRI", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Raises the threshold. Nothing at or below it starts from the next instruction on.
#[inline(always)]
#[cfg(not(feature = "cm7-r0p1"))]
pub(super) fn raise(value: u8) {
    // SAFETY: a write of BASEPRI_MAX never lowers what BASEPRI holds (ARMv7-M ARM B5.2.3), so no section around this one
    // is weakened, whosever it is. Declared to touch memory: no access of the section moves up across it.
    unsafe { asm!("msr BASEPRI_MAX, {}", in(reg) u32::from(value), options(nostack, preserves_flags)) };
}

/// Raises the threshold where writing BASEPRI takes effect late (erratum 837070): with interrupts off around it.
#[inline(always)]
#[cfg(feature = "cm7-r0p1")]
pub(super) fn raise(value: u8) {
    // SAFETY: as above; PRIMASK is put back to what it was.
    unsafe {
        asm!(
            "mrs {primask}, PRIMASK",
            "cpsid i",
            "msr BASEPRI_MAX, {value}",
            "dsb",
            "isb",
            "msr PRIMASK, {primask}",
            value = in(reg) u32::from(value),
            primask = out(reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// Puts the threshold back.
///
/// # Safety
///
/// `value` is what BASEPRI held before the section that ends: code that had raised it still finds it raised.
#[inline(always)]
pub(super) unsafe fn lower(value: u32) {
    // SAFETY: the caller's promise. Declared to touch memory: no access of the section moves down across it.
    unsafe { asm!("msr BASEPRI, {}", in(reg) value, options(nostack, preserves_flags)) };
    #[cfg(feature = "unlock-isb")]
    // SAFETY: an ISB has no effect on the program's state.
    unsafe {
        asm!("isb", options(nostack, preserves_flags));
    }
}

/// Whether the chip has at least `bits` priority bits: those that it lacks read as zero (ARMv7-M ARM B1.4.3). For the
/// start, when BASEPRI holds nothing back.
pub(crate) fn has_priority_bits(bits: u8) -> bool {
    raise(u8::MAX);
    let implemented = read() as u8;
    // SAFETY: it has not been raised before.
    unsafe { lower(0) };
    implemented.leading_ones() >= u32::from(bits)
}

/// Gives `vector` its priority: the byte store that ARMv7-M allows (B3.4.9).
///
/// # Safety
///
/// It is that of a task of the application that is being started, before any task runs.
#[inline(always)]
pub(crate) unsafe fn set_priority(vector: Vector, value: u8) {
    let register = match vector {
        Vector::Interrupt(number) => IPR + number as usize,
        Vector::PendSv => SHPR3 + 2,
        Vector::SysTick => SHPR3 + 3,
    };
    // SAFETY: the caller's promise.
    unsafe { ptr::write_volatile(ptr::with_exposed_provenance_mut(register), value) };
}

/// Masks and enable bits are separate: everyone may use the bits.
pub(super) const fn check_level(_by: &By, _name: &str, _task: u8) {}

/// These cores do all that a plan can ask for.
pub(super) const fn core_problem(_plan: &Plan) -> Option<Text> {
    None
}
