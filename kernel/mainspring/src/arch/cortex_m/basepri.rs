//! Cores with BASEPRI: a section raises the threshold below which nothing starts.

use core::arch::asm;
use core::ptr;

use mainspring_core::{Level, Plan, Restore, Text, Vector};

use super::{IPR, SHPR3};
use crate::level::Way;

/// Runs `f` with BASEPRI at `raised`.
#[inline(always)]
pub(crate) fn threshold_section<W: Way, O>(raised: u8, restore: Restore, f: impl FnOnce() -> O) -> O {
    let before = match restore {
        Restore::Known(value) => u32::from(value),
        Restore::Read => read(),
    };
    raise(raised);
    let out = f();
    lower(before);
    out
}

#[inline(always)]
fn read() -> u32 {
    let value;
    // SAFETY: reading BASEPRI has no effect.
    unsafe { asm!("mrs {}, BASEPRI", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Raises the threshold. Nothing at or below it starts from the next instruction on.
#[inline(always)]
#[cfg(not(feature = "cm7-r0p1"))]
fn raise(value: u8) {
    // SAFETY: `value` is above what BASEPRI holds, by the level's type, so no section around this one is weakened.
    // Declared to touch memory: no access of the section moves up across it.
    unsafe { asm!("msr BASEPRI, {}", in(reg) u32::from(value), options(nostack, preserves_flags)) };
}

/// Raises the threshold where writing BASEPRI takes effect late (erratum 837070): with interrupts off around it.
#[inline(always)]
#[cfg(feature = "cm7-r0p1")]
fn raise(value: u8) {
    // SAFETY: as above; PRIMASK is put back to what it was.
    unsafe {
        asm!(
            "mrs {primask}, PRIMASK",
            "cpsid i",
            "msr BASEPRI, {value}",
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
#[inline(always)]
fn lower(value: u32) {
    // SAFETY: `value` is what BASEPRI held before the section: read there, or known from the level's type.
    // Declared to touch memory: no access of the section moves down across it.
    unsafe { asm!("msr BASEPRI, {}", in(reg) value, options(nostack, preserves_flags)) };
    #[cfg(feature = "unlock-isb")]
    // SAFETY: an ISB has no effect on the program's state.
    unsafe {
        asm!("isb", options(nostack, preserves_flags));
    }
}

/// Whether the chip has at least so many priority bits: those that it lacks read as zero (ARMv7-M ARM B1.4.3).
pub(crate) fn has_priority_bits(bits: u8) -> bool {
    raise(u8::MAX);
    let implemented = read() as u8;
    lower(0);
    implemented.leading_ones() >= u32::from(bits)
}

/// Gives `vector` its priority: the byte store that ARMv7-M allows (B3.4.9).
#[inline(always)]
pub(crate) fn set_priority(vector: Vector, value: u8) {
    let register = match vector {
        Vector::Interrupt(number) => IPR + number as usize,
        Vector::PendSv => SHPR3 + 2,
        Vector::SysTick => SHPR3 + 3,
    };
    // SAFETY: the priority byte of an exception whose task the kernel manages, before any task runs.
    unsafe { ptr::write_volatile(ptr::with_exposed_provenance_mut(register), value) };
}

/// Masks and enable bits are separate: everyone may use the bits.
pub(super) const fn check_level(_name: &str, _task: u8, _level: Level, _in_section: bool) {}

/// These cores do all that a plan can ask for.
pub(super) const fn core_problem(_plan: &Plan) -> Option<Text> {
    None
}
