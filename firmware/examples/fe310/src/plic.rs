//! The FE310, as far as the tasks behind its PLIC use it.

use mainspring::{Lines, Plic};
use semihosting::process;

/// The chip.
pub struct Chip;

/// Interrupts: numbers of the core, and from 33 on the PLIC's sources (manual, chapter 10).
#[repr(u16)]
pub enum Interrupt {
    /// No line: software asks.
    Asked = 0,
    /// As above.
    AskedToo = 1,
    /// The CLINT's.
    Timer = 7,
    /// UART 0.
    Uart = 32 + 3,
    /// PWM 2, which is not set up.
    First = 32 + 48,
    /// As above.
    Second = 32 + 49,
}

// SAFETY: the bits of the architecture, and the sources of this chip; nothing else here uses the PLIC, `mie` or `mtvec`.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    const LINES: Lines = Lines::Plic(Plic {
        base: 0x0c00_0000,
        context: 0,
        priorities: 7,
    });
}

/// UART 0 (chapter 18): what makes it send, and when it interrupts.
const UART: *mut u32 = 0x1001_3000 as *mut u32;
const TXCTRL: usize = 2;
const IE: usize = 4;
/// Fewer bytes wait than one.
const WATERMARK: u32 = 1 << 16;
/// The CLINT's (chapter 9).
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;

/// The UART interrupts from now on, until it is quiet.
pub fn send() {
    // SAFETY: registers of the UART.
    unsafe {
        UART.add(TXCTRL).write_volatile(WATERMARK);
        UART.add(IE).write_volatile(1);
    }
    settle();
}

/// It does not interrupt any more.
pub fn quiet() {
    // SAFETY: a register of the UART.
    unsafe { UART.add(IE).write_volatile(0) }
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
        riscv::asm::nop();
    }
}

/// Ends the program.
pub fn end(passed: bool) -> ! {
    process::exit(i32::from(!passed))
}
