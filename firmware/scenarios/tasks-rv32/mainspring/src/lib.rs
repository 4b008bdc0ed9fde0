//! The RV32 scenarios as a user of Mainspring writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use riscv_rt as _;

#[path = "../../common.rs"]
mod common;
pub use common::*;

#[path = "../../../tasks/mainspring/src/pool.rs"]
pub mod pool;
#[path = "../../../tasks/mainspring/src/sweep.rs"]
pub mod sweep;

/// The chip of all scenarios: a VexRiscv with its 32 lines, or an Ibex with those that the architecture has, and its own.
pub struct Chip;

/// A VexRiscv's interrupts. The board's peripherals have 0 and 1.
#[cfg(not(target_feature = "c"))]
#[repr(u16)]
pub enum Interrupt {
    /// A line that the scenarios raise.
    Line = 8,
    /// As above.
    Line2 = 9,
    /// As above.
    Line3 = 10,
    /// Without a line: software asks.
    A = 11,
    /// As above.
    B = 12,
    /// As above.
    C = 13,
    /// As above.
    D = 14,
}

/// Ibex's interrupts: the peripherals' one, and the fast ones, whose lines nothing drives here.
#[cfg(target_feature = "c")]
#[repr(u16)]
pub enum Interrupt {
    /// A line that the scenarios raise.
    Line = 11,
    /// The software interrupt's input, which the board drives as any other.
    Line2 = 3,
    /// The timer's.
    Line3 = 7,
    /// Without a line: software asks.
    A = 16,
    /// As above.
    B = 17,
    /// As above.
    C = 18,
    /// As above.
    D = 19,
}

/// The line that raises [`Interrupt::Line`].
pub const LINE: u32 = 1 << 8;

/// The interrupt whose task ran last. The harness that drives the lines looks here, and lowers that one, as a task would do at its
/// peripheral.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static ACKNOWLEDGED: AtomicU32 = AtomicU32::new(0);

/// Lowers the line.
pub fn acknowledge(interrupt: Interrupt) {
    ACKNOWLEDGED.store(interrupt as u32, Relaxed);
}

/// The line of the task of that number falls: of those that are swept, in the order of their priorities.
pub fn came(task: usize) {
    acknowledge(match task {
        0 => Interrupt::Line,
        1 => Interrupt::Line2,
        _ => Interrupt::Line3,
    });
}

// SAFETY: the numbers of bits that the two cores have in the registers that mask interrupts; one core.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    #[cfg(not(target_feature = "c"))]
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;
}
