//! Runs the programs of group `cores/`.
//!
//! Such a program is the assembly function `measure`, between whose breakpoints (`from_NAME`, `to_NAME`, see
//! `macros.s`) stands what a row of the price list costs. It may use every register, begins in thread mode with the
//! interrupts 0 (priority 0x80) and 1 (priority 0x40, more urgent) enabled, and ends with `bl measured`.
//!
//! The text is assembly so that each core runs the same one, and ARMv6-M wherever a core without more can do it.

#![no_std]

use rt::Irq;

unsafe extern "C" {
    /// Never comes back: goes to [`measured`].
    safe fn measure() -> !;
}

/// Makes the interrupts ready and measures.
pub fn run() -> ! {
    rt::enable(Irq(0), 0x80);
    rt::enable(Irq(1), 0x40);
    measure()
}

/// Where `measure` ends.
#[unsafe(no_mangle)] // SAFETY: no other function of this name is linked into these programs.
extern "C" fn measured() -> ! {
    rt::exit()
}
