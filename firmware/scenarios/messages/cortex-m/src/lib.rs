//! Shared by the Cortex-M programs of group `messages/`.

#![no_std]

use core::arch::asm;
use core::panic::PanicInfo;
use core::ptr::{addr_of, read_volatile, write_volatile};

use cortex_m_rt as _;
use mainspring::process::{Chip as Processor, Protection, Tick};

/// An LM3S6965, a Cortex-M3 with an MPU, by what it counts timeouts.
macro_rules! chips {
    ($($(#[doc = $doc:literal])* $name:ident: $tick:expr;)*) => { $(
        $(#[doc = $doc])*
        pub struct $name;

        // SAFETY: the chip's flash, from which the program runs.
        unsafe impl Processor for $name {
            const CODE: (usize, usize) = (0, 256 << 10);
            const PROTECTION: Protection = Protection::Mpu;
            const LINES: mainspring::Lines = mainspring::Lines::Standard;
            const TICK: Tick = $tick;

            fn failed() -> ! {
                fail()
            }
        }
    )* };
}

chips! {
    /// By nothing.
    Chip: Tick::None;
    /// By SysTick.
    Ticking: Tick::Core;
    /// By an interrupt.
    OnLine: Tick::Line(3);
}

/// Starts SysTick: a tick every that many cycles.
pub fn start_ticks(cycles: u32) {
    // SAFETY: SysTick is the program's own.
    unsafe {
        write_volatile(0xe000_e014 as *mut u32, cycles - 1);
        write_volatile(0xe000_e018 as *mut u32, 0);
        write_volatile(0xe000_e010 as *mut u32, 7);
    }
}

/// A point that a price list names: `bkpt:#N`. No access of memory moves across it.
#[inline(always)]
pub fn mark<const N: u8>() {
    // SAFETY: under the simulator a breakpoint only marks a point in time.
    unsafe { asm!("bkpt {}", const N, options(nostack, preserves_flags)) }
}

static INPUT: u32 = 7;

/// A number that the compiler cannot know.
#[inline(always)]
pub fn input() -> u32 {
    // SAFETY: reads a static that is never written.
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
