//! Time by SysTick alone, for cores that have no cycle counter.

#![allow(unsafe_code)] // Registers at fixed addresses.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::Clock;
use crate::arch;

/// Control and status, reload value and current value of SysTick (ARMv6-M ARM B3.3.3 to B3.3.5), as offsets of the first.
const SYST_CSR: usize = 0xe000_e010;
const SYST_RVR: usize = SYST_CSR + 4;
const SYST_CVR: usize = SYST_CSR + 8;
/// Counts the core's clock, and interrupts when it reaches 0.
const RUNNING: u32 = 0b111;
/// It has reached 0 since the last look.
const COUNTFLAG: u32 = 1 << 16;

/// The count at which the counter first has its reload value after a restart. Changed with interrupts held back; a program has one
/// such clock.
static BASE: AtomicU32 = AtomicU32::new(0);
/// Cycles from there until it has its reload value again: to an alarm as many as that takes, and after it the most possible, so that a
/// late look misses no period.
static PERIOD: AtomicU32 = AtomicU32::new(LONGEST);

const LONGEST: u32 = 1 << 24;
/// Fewest cycles to an alarm: the counter is at 0 once before it gets its next reload value, wherever the code is fetched from.
const LEAST: u32 = 16;

/// Cycles from where the old count is read to where the counter is cleared, by the instructions of [`restart`]: without wait states in
/// what they are fetched from. Each that is missing is a cycle that the clock is late from then on.
const BETWEEN: u32 = if cfg!(basepri) { 4 } else { 7 };

/// SysTick at `HZ` cycles a second, for cores of every kind: it is the counter and the alarm.
///
/// The counter begins anew for each alarm that is set, with the cycles that this takes added to it: to the cycle or one less or more, and
/// where the code has wait states a few less. An application whose core has a cycle counter takes `Cycles`, which loses none.
/// Two clocks of this kind would share SysTick: an application has one.
pub struct SysTick<const HZ: u32>(());

impl<const HZ: u32> SysTick<HZ> {
    /// The clock.
    ///
    /// # Safety
    ///
    /// Nothing else uses SysTick; there is no other such clock.
    #[must_use]
    pub const unsafe fn new() -> Self {
        SysTick(())
    }
}

impl<const HZ: u32> Clock for SysTick<HZ> {
    type Instant = fugit::Instant<u64, 1, HZ>;
    type Duration = fugit::Duration<u64, 1, HZ>;
    const LONGEST: u32 = LONGEST;

    fn start(&mut self) {
        // SAFETY: SysTick is this clock's.
        unsafe {
            ptr::with_exposed_provenance_mut::<u32>(SYST_RVR).write_volatile(LONGEST - 1);
            ptr::with_exposed_provenance_mut::<u32>(SYST_CVR).write_volatile(0);
            ptr::with_exposed_provenance_mut::<u32>(SYST_CSR).write_volatile(RUNNING);
        }
    }

    #[inline]
    fn count() -> u32 {
        let before = arch::hold();
        let mut current = read(SYST_CVR);
        // If it wraps after this look, the count is from before the wrap.
        if read(SYST_CSR) & COUNTFLAG != 0 {
            came_round();
            current = read(SYST_CVR);
        }
        let count = at(current);
        // SAFETY: this is what `hold` found.
        unsafe { arch::release(before) };
        count
    }

    #[inline]
    fn wake_after(&mut self, counts: u32) {
        let counts = counts.clamp(LEAST, LONGEST);
        let before = arch::hold();
        // SAFETY: SysTick is this clock's, and interrupts are held back.
        let (current, status) = unsafe { restart(counts - 1) };
        // It wrapped: before the count was read, which is then 0 or large, or after it.
        if status & COUNTFLAG != 0 && (current == 0 || current > LONGEST / 2) {
            came_round();
        }
        BASE.store(at(current).wrapping_add(BETWEEN + 1), Relaxed);
        PERIOD.store(counts, Relaxed);
        // SAFETY: this is what `hold` found.
        unsafe { arch::release(before) };
    }
}

/// The counter is in its next period.
#[inline(always)]
fn came_round() {
    BASE.store(BASE.load(Relaxed).wrapping_add(PERIOD.load(Relaxed)), Relaxed);
    PERIOD.store(LONGEST, Relaxed);
}

/// The count where SysTick is at `current`: it is at 0 a cycle before it is at its reload value.
#[inline(always)]
fn at(current: u32) -> u32 {
    let since = if current == 0 {
        0
    } else {
        PERIOD.load(Relaxed) - current
    };
    BASE.load(Relaxed).wrapping_add(since).wrapping_sub(1)
}

/// Restarts the counter from `reload`, and after that from the greatest value. Returns its value and its status before.
///
/// # Safety
///
/// SysTick is the caller's; interrupts are held back.
#[inline(always)]
unsafe fn restart(reload: u32) -> (u32, u32) {
    let (current, status): (u32, u32);
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            ".p2align 2", // So that they are fetched in the same way, wherever they are.
            "ldr {current}, [{systick}, #8]",
            "ldr {status}, [{systick}]",
            "str {reload}, [{systick}, #4]",
            "str {reload}, [{systick}, #8]",
            // The counter takes it over in the next cycle. Behind the alarm it goes on from the greatest value.
            "nop",
            "str {longest}, [{systick}, #4]",
            longest = in(reg) LONGEST - 1,
            systick = in(reg) SYST_CSR,
            reload = in(reg) reload,
            current = out(reg) current,
            status = out(reg) status,
            options(nostack, preserves_flags)
        );
    }
    (current, status)
}

#[inline(always)]
fn read(register: usize) -> u32 {
    // SAFETY: reading the registers of SysTick has no effect but on COUNTFLAG, which is this clock's.
    unsafe { ptr::with_exposed_provenance::<u32>(register).read_volatile() }
}
