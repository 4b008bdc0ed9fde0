//! An interrupt that comes while a frame is unstacked abandons that, and its handler is entered as by tail-
//! chaining.
//!
//! mark: D
//! evidence: DDI 0337 5.3 describes it; the cycles are inferred from tail-chain
//! raise: irq = 1, after = "bkpt:1", delay = 1
//! cycles: 9 from the end of a handler to that of an interrupt which came 1 cycle later
//! mark m4: D

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m3 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    str r1, [r0]
    nop
    nop
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global handler
    .type handler, %function
handler:
    bkpt
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler

    .balign 4
    .global urgent
    .type urgent, %function
urgent:
    bkpt
    bx lr
    .size urgent, . - urgent
    .global IRQ1
    .thumb_set IRQ1, urgent
"#,
    options(raw)
);
