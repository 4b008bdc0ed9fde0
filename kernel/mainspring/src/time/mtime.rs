//! Time by the machine timer of a CLINT, which RISC-V calls `mtime` and `mtimecmp`.

#![allow(unsafe_code)] // Registers at the addresses that the program names.

use core::marker::PhantomData;
use core::ptr;

use super::Clock;

/// Where a chip has its machine timer.
///
/// # Safety
///
/// The registers are there, two words each, the low one first, aligned to a word; reading the time has no effect.
pub unsafe trait MachineTimer: 'static {
    /// Address of `mtime`.
    const TIME: usize;
    /// Address of this hart's `mtimecmp`.
    const COMPARE: usize;
}

/// A machine timer at `HZ` counts a second. Its interrupt, number 7 of [`Lines::Standard`](crate::Lines::Standard), falls when the compare
/// value is moved, so a task that [`serve`](super::serve)s has done all that there is to do.
pub struct Mtime<M, const HZ: u32>(PhantomData<fn(M)>);

impl<M: MachineTimer, const HZ: u32> Mtime<M, HZ> {
    /// The clock.
    ///
    /// # Safety
    ///
    /// Nothing else writes the registers, and there is no other such clock.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Mtime(PhantomData)
    }
}

impl<M: MachineTimer, const HZ: u32> Clock for Mtime<M, HZ> {
    type Instant = fugit::Instant<u64, 1, HZ>;
    type Duration = fugit::Duration<u64, 1, HZ>;
    const LONGEST: u32 = 1 << 30;

    #[inline(always)]
    fn count() -> u32 {
        // SAFETY: the register is there, and reading it has no effect.
        unsafe { word(M::TIME).read_volatile() }
    }

    #[inline]
    fn wake_after(&mut self, counts: u32) {
        // SAFETY: the registers are this clock's. The high word is out of reach while the low one changes, so that no compare value
        // in between is one that is past (Privileged ISA 3.2.1).
        unsafe {
            let (low, high) = loop {
                let high = word(M::TIME + 4).read_volatile();
                let low = word(M::TIME).read_volatile();
                if word(M::TIME + 4).read_volatile() == high {
                    break (low, high);
                }
            };
            let (low, carry) = low.overflowing_add(counts);
            word(M::COMPARE + 4).write_volatile(u32::MAX);
            word(M::COMPARE).write_volatile(low);
            word(M::COMPARE + 4).write_volatile(high.wrapping_add(u32::from(carry)));
        }
    }
}

#[inline(always)]
fn word(address: usize) -> *mut u32 {
    ptr::with_exposed_provenance_mut(address)
}
