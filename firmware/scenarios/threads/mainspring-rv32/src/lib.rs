//! The chip of the RV32 scenarios with threads: a core with the interrupts that the architecture has, and a CLINT.

#![no_std]

use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::time::{MachineTimer, Mtime};
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

/// Six times, so that the caches are warm before the last. The compiler does not see the number, so that each mark is there once.
#[inline(always)]
pub fn rounds(_count: u32) -> core::ops::Range<u32> {
    times()
}

/// Does `f` so often.
#[inline(always)]
pub fn repeat(count: u32, mut f: impl FnMut()) {
    for _ in rounds(count) {
        f();
    }
}

/// As [`rounds`].
#[inline(always)]
pub fn turns(count: u32) -> core::ops::Range<u32> {
    rounds(count)
}

/// The word that [`reached`] writes.
macro_rules! words {
    ($($name:ident)*) => {$(
        #[allow(non_upper_case_globals)] // The price list names them.
        #[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
        static $name: AtomicU32 = AtomicU32::new(0);
    )*};
}

words!(reached_21 reached_31 reached_51 reached_61 reached_62 reached_71 reached_72);

/// A point where the compiler may double the code, so that a label would be one of several places: a store, which a price list
/// names as `write:reached_61` and so on. It takes a cycle.
#[inline(always)]
pub fn reached<const N: u8>() {
    let word = match N {
        21 => &reached_21,
        31 => &reached_31,
        51 => &reached_51,
        61 => &reached_61,
        62 => &reached_62,
        71 => &reached_71,
        _ => &reached_72,
    };
    word.store(0, Relaxed);
}

/// Marks a point, raises the line with the very next instruction, and goes on when it has come.
#[inline(always)]
pub fn request<const N: u8>(_interrupt: u16) {
    board::request::<N>(LINE);
    // SAFETY: no effect but time: the store is on its way for some cycles.
    unsafe { core::arch::asm!(".rept 16", "nop", ".endr") };
}

/// Lowers the line.
#[inline(always)]
pub fn lower() {
    board::raise(0);
}

/// Where the boards have `mtime` and `mtimecmp`.
const TIME_AT: usize = 0xf001_bff8;
const COMPARE_AT: usize = 0xf001_4000;
const TIME: *mut u32 = TIME_AT as *mut u32;
const COMPARE: *mut u32 = COMPARE_AT as *mut u32;

/// Lets a VexRiscv's own mask pass every line: `mie` is what tells here.
pub fn open_lines() {
    #[cfg(not(target_feature = "c"))]
    // SAFETY: the core has this register; the lines come when `mie` lets them.
    unsafe {
        core::arch::asm!("csrw 0xbc0, {}", in(reg) u32::MAX);
    }
}

/// The chip's machine timer as a clock.
pub type Clint = Mtime<Timer, 100_000_000>;

/// Where it is.
pub struct Timer;

// SAFETY: the registers are there on these boards.
unsafe impl MachineTimer for Timer {
    const TIME: usize = TIME_AT;
    const COMPARE: usize = COMPARE_AT;
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
