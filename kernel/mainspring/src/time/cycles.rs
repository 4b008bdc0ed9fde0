//! Time by the core's cycle counter, with SysTick as the alarm.

#![allow(unsafe_code)] // Registers at fixed addresses.

use core::ptr;

use super::Clock;

/// Debug exception and monitor control register (ARMv7-M ARM C1.6.5), whose TRCENA lets the counter run.
const DEMCR: usize = 0xe000_edfc;
const TRCENA: u32 = 1 << 24;
/// Control and cycle count register of the data watchpoint and trace unit (C1.8.7, C1.8.8).
const DWT_CTRL: usize = 0xe000_1000;
const CYCCNTENA: u32 = 1;
const DWT_CYCCNT: usize = 0xe000_1004;
/// Control and status, reload value and current value of SysTick (B3.3.3 to B3.3.5).
const SYST_CSR: usize = 0xe000_e010;
const SYST_RVR: usize = 0xe000_e014;
const SYST_CVR: usize = 0xe000_e018;
/// Counts the core's clock, and interrupts when it reaches 0.
const RUNNING: u32 = 0b111;

/// The cycle counter of ARMv7-M and ARMv8-M Mainline at `HZ` cycles a second, and SysTick, which starts the task that is bound to it.
///
/// The counter never stops and is never written, so nothing drifts; SysTick, whose count is not looked at, comes once for each alarm,
/// and at every 2^24 cycles at the latest. Two clocks of this kind would share SysTick: an application has one.
/// A debugger that halts the core halts the counter.
pub struct Cycles<const HZ: u32>(());

impl<const HZ: u32> Cycles<HZ> {
    /// The clock.
    ///
    /// # Safety
    ///
    /// Nothing else uses SysTick, writes CYCCNT, or stops it; there is no other such clock.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Cycles(())
    }
}

impl<const HZ: u32> Clock for Cycles<HZ> {
    type Instant = fugit::Instant<u64, 1, HZ>;
    type Duration = fugit::Duration<u64, 1, HZ>;
    const LONGEST: u32 = 1 << 24;

    fn start(&mut self) {
        // SAFETY: both registers are there on these cores; the bits let the counter run, which is this clock's.
        unsafe {
            modify(DEMCR, |value| value | TRCENA);
            modify(DWT_CTRL, |value| value | CYCCNTENA);
        }
    }

    #[inline(always)]
    fn count() -> u32 {
        // SAFETY: reading it has no effect.
        unsafe { ptr::read_volatile(ptr::with_exposed_provenance(DWT_CYCCNT)) }
    }

    #[inline]
    fn wake_after(&mut self, counts: u32) {
        // A reload value of 0 would stop it.
        let reload = counts.clamp(2, Self::LONGEST) - 1;
        // SAFETY: SysTick is this clock's.
        unsafe {
            write(SYST_RVR, reload);
            write(SYST_CVR, 0);
            write(SYST_CSR, RUNNING);
        }
    }
}

/// # Safety
///
/// `register` is one of the system control space, and nobody relies on what changes there.
unsafe fn write(register: usize, value: u32) {
    // SAFETY: the caller's promise.
    unsafe { ptr::write_volatile(ptr::with_exposed_provenance_mut(register), value) };
}

/// # Safety
///
/// As for [`write`].
unsafe fn modify(register: usize, f: impl FnOnce(u32) -> u32) {
    // SAFETY: the caller's promise; reading these has no effect.
    unsafe {
        let value = ptr::read_volatile(ptr::with_exposed_provenance(register));
        write(register, f(value));
    }
}
