//! How the core treats the floating-point registers at an exception.

#![no_std]

/// Floating-point context control register, and in it lazy saving (ARMv7-M ARM B3.2.21).
const FPCCR: *mut u32 = 0xe000_ef34 as *mut u32;
const LSPEN: u32 = 1 << 30;

/// Lets an exception save the floating-point registers as it is entered, not when its handler needs them.
pub fn save_eagerly() {
    // SAFETY: a register that every Cortex-M4F has, written before any interrupt is let through.
    unsafe { FPCCR.write_volatile(FPCCR.read_volatile() & !LSPEN) }
}
