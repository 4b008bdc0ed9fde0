//! Runs one timing program of an ARMv6-M core.
//!
//! Each program of this package shows one timing rule of the Cortex-M0+, and of the Cortex-M0 where its head has lines
//! `m0`. How they are written is told in the package of the Cortex-M3.
//!
//! A program is the assembly function `measure`. It may use every register, begins in thread mode with the
//! interrupts 0 (priority 0x80) and 1 (priority 0x40, more urgent) enabled, and ends with `bl measured`.

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
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    bl measure
    .global measured
    .type measured, %function
    .thumb_func
measured:
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
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
