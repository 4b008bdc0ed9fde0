//! QEMU's virt, as far as the tasks behind its PLIC use it.

use mainspring::{Lines, Plic};

/// The chip.
pub struct Chip;

/// Interrupts: numbers of the core, and from 33 on the PLIC's sources.
#[repr(u16)]
pub enum Interrupt {
    /// No line: software asks.
    Asked = 0,
    /// As above.
    AskedToo = 1,
    /// The CLINT's.
    Timer = 7,
    /// Nobody's.
    First = 32 + 1,
    /// As above.
    Second = 32 + 2,
    /// The 16550's.
    Uart = 32 + 10,
}

// SAFETY: the bits of the architecture, and the sources of this machine; nothing else here uses the PLIC, `mie` or `mtvec`.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    const LINES: Lines = Lines::Plic(Plic {
        base: 0x0c00_0000,
        context: 0,
        priorities: 7,
    });
}

const UART_ENABLES: *mut u8 = 0x1000_0001 as *mut u8;
const TRANSMITTER_IS_EMPTY: u8 = 2;
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;

/// The UART interrupts from now on, until it is quiet.
pub fn send() {
    // SAFETY: a register of the UART.
    unsafe { UART_ENABLES.write_volatile(TRANSMITTER_IS_EMPTY) }
    settle();
}

/// It does not interrupt any more.
pub fn quiet() {
    // SAFETY: a register of the UART.
    unsafe { UART_ENABLES.write_volatile(0) }
}

/// The timer interrupts at once, or not.
pub fn timer(comes: bool) {
    let upper = if comes { 0 } else { u32::MAX };
    // SAFETY: the register of the CLINT.
    unsafe {
        MTIMECMP.write_volatile(0);
        MTIMECMP.add(1).write_volatile(upper);
    }
    settle();
}

/// Until an interrupt has found its way.
#[inline(never)]
fn settle() {
    for _ in 0..16 {
        // SAFETY: nothing happens.
        unsafe { core::arch::asm!("nop", options(nomem, nostack, preserves_flags)) }
    }
}

/// The test finisher ends the run: a program that passed, or one that failed.
pub fn end(passed: bool) -> ! {
    let word: u32 = if passed { 0x5555 } else { 1 << 16 | 0x3333 };
    // SAFETY: the register of the test finisher.
    unsafe { (0x0010_0000 as *mut u32).write_volatile(word) }
    loop {
        core::hint::spin_loop();
    }
}
