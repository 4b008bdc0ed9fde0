//! As the program with threads, without: a task that has pre-empted another overflows the stack of the tasks.

#![no_std]
#![no_main]

use core::hint::black_box;

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use riscv_rt as _;
use virt::{PASSED, finish};

/// QEMU's virt, as far as this program uses it.
struct Virt;

/// Interrupts, by their bits in `mie`.
#[repr(u16)]
enum Interrupt {
    Soft = 3,
    Timer = 7,
    External = 11,
}

// SAFETY: the architecture's bits, which this core has; nothing else writes `mie` or `mtvec`; one core.
unsafe impl mainspring::Device for Virt {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
}

include!("../guarded.rs");
