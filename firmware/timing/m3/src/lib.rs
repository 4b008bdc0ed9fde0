//! Runs one timing program.
//!
//! Each program of this package shows one timing rule of the Cortex-M3 and is named after it. Its sequences stand
//! between pairs of breakpoints; the head of its file states, for each pair in turn, how many cycles it takes, how
//! well that is known (the mark) and from what (the evidence). `./x timing` runs them all and compares.
//!
//! A program is the assembly function `measure`. It may use every register, begins in thread mode with the
//! interrupts 0 (priority 0x80) and 1 (priority 0x40, more urgent) enabled, and ends with `b measured`.

#![no_std]

use core::arch::global_asm;

use cortex_m_rt::entry;
use rt::Irq;

global_asm!(
    r#"
    .section .text.run, "ax", %progbits
    .balign 4
    .global run
    .type run, %function
run:
    push {r4-r11, lr}
    b.w measure
    .global measured
    .type measured, %function
    .thumb_func
measured:
    pop {r4-r11, pc}
    .size run, . - run
"#,
    options(raw)
);

unsafe extern "C" {
    /// Saves what the calling convention asks for and goes to `measure`.
    safe fn run();
}

#[entry]
fn main() -> ! {
    rt::enable(Irq(0), 0x80);
    rt::enable(Irq(1), 0x40);
    run();
    rt::exit()
}
