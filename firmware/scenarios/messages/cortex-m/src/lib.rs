//! What the Cortex-M programs of group `messages/` share.

#![no_std]

use core::arch::asm;
use core::panic::PanicInfo;
use core::ptr::{addr_of, read_volatile};

use cortex_m_rt as _;

/// An LM3S6965: a Cortex-M3 with an MPU.
pub struct Chip;

// SAFETY: the chip's flash, from which the program runs.
unsafe impl mainspring::process::Chip for Chip {
    const CODE: (usize, usize) = (0, 256 << 10);
    const PROTECTION: mainspring::process::Protection = mainspring::process::Protection::Mpu;
    const LINES: mainspring::Lines = mainspring::Lines::Standard;

    fn failed() -> ! {
        fail()
    }
}

/// A point that a price list names: `bkpt:#N`. No access of memory moves across it.
#[inline(always)]
pub fn mark<const N: u8>() {
    // SAFETY: under the simulator a breakpoint is a point in time and nothing else.
    unsafe { asm!("bkpt {}", const N, options(nostack, preserves_flags)) }
}

static INPUT: u32 = 7;

/// A number that the compiler cannot know.
#[inline(always)]
pub fn input() -> u32 {
    // SAFETY: reads a static that nobody writes.
    unsafe { read_volatile(addr_of!(INPUT)) }
}

/// So often a scenario runs. The compiler does not see the number, so the loop is one.
#[inline(always)]
pub fn times() -> core::ops::Range<u32> {
    0..input() - 1
}

/// Ends the program; the host sees exit code 0.
pub fn exit() -> ! {
    end(0x20026)
}

/// Ends the program as one that failed; the host sees exit code 1.
pub fn fail() -> ! {
    end(0x20023)
}

/// Semihosting's way out.
fn end(reason: u32) -> ! {
    loop {
        // SAFETY: the debugger's, which reads these two registers.
        unsafe { asm!("bkpt 0xab", in("r0") 0x18, in("r1") reason, options(nostack, preserves_flags)) };
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    fail()
}
