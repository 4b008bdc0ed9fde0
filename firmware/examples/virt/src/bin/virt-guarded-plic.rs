//! As the program without a PLIC, with one.

#![no_std]
#![no_main]

use core::hint::black_box;

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use riscv_rt as _;
use virt::{PASSED, finish};

/// QEMU's virt, as far as this program uses it.
struct Virt;

/// Interrupts: no line's, and a source of the PLIC.
#[repr(u16)]
enum Interrupt {
    Soft = 3,
    Timer = 7,
    External = 32 + 10,
}

// SAFETY: the architecture's bits and the UART's source; nothing else here uses the PLIC, `mie` or `mtvec`; one core.
unsafe impl mainspring::Device for Virt {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    const LINES: mainspring::Lines = mainspring::Lines::Plic(mainspring::Plic {
        base: 0x0c00_0000,
        context: 0,
        priorities: 7,
    });
}

include!("../guarded.rs");
