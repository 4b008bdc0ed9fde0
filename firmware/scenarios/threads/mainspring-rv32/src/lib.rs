//! The chip of the RV32 scenarios with threads: a core with the interrupts that the architecture has, and a CLINT.

#![no_std]

use core::hint::black_box;
use core::ptr;

use riscv_rt as _;

#[path = "../../../tasks-rv32/common.rs"]
mod board;
pub use board::{exit, fail, input, mark, output, times};

/// Interrupts, by their bits in `mie`.
#[repr(u16)]
pub enum Interrupt {
    /// The software interrupt's, which nothing raises here: the switch's.
    Soft = 3,
    /// The machine timer's.
    Timer = 7,
    /// Every line of the board.
    Line = 11,
}

/// Any of the boards.
pub struct Chip;

// SAFETY: the architecture's bits, which these cores have; nothing else writes `mie` or `mtvec`; one core.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
}

/// The line that the scenarios raise.
const LINE: u32 = 1 << 8;

/// So often. The compiler does not see the number, so that each mark is there once.
#[inline(always)]
pub fn rounds(count: u32) -> core::ops::Range<u32> {
    0..black_box(count)
}

/// Marks a point, and raises the line with the very next instruction.
#[inline(always)]
pub fn request<const N: u8>(_interrupt: u16) {
    board::request::<N>(LINE);
}

/// Lowers the line.
#[inline(always)]
pub fn lower() {
    board::raise(0);
}

/// Where the boards have `mtime` and `mtimecmp`.
const TIME: *mut u32 = 0xf001_bff8 as *mut u32;
const COMPARE: *mut u32 = 0xf001_4000 as *mut u32;

/// Lets a VexRiscv's own mask pass every line: `mie` is what tells here.
pub fn open_lines() {
    #[cfg(not(target_feature = "c"))]
    // SAFETY: the core has this register; the lines come when `mie` lets them.
    unsafe {
        core::arch::asm!("csrw 0xbc0, {}", in(reg) u32::MAX);
    }
}

/// A timer that ticks.
pub struct Ticks {
    /// When the next tick is due.
    next: u64,
    period: u32,
}

impl Ticks {
    /// Starts the timer.
    #[must_use]
    pub fn start(period: u32) -> Self {
        // SAFETY: the registers are there on these boards.
        let now = unsafe { ptr::read_volatile(TIME) };
        let mut ticks = Ticks {
            next: u64::from(now),
            period,
        };
        ticks.again();
        ticks
    }

    /// Lets it tick again, a period after the last time.
    #[inline(always)]
    pub fn again(&mut self) {
        self.next += u64::from(self.period);
        // SAFETY: as above. The high word is out of reach while the low one changes.
        unsafe {
            ptr::write_volatile(COMPARE.add(1), u32::MAX);
            ptr::write_volatile(COMPARE, self.next as u32);
            ptr::write_volatile(COMPARE.add(1), (self.next >> 32) as u32);
        }
    }
}
