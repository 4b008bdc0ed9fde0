//! From the store that makes an interrupt pending to the first instruction of its handler: 1 cycle for the store,
//! 10 for the entry.
//!
//! mark: A
//! evidence: study 000, row preempt-entry
//! cycles: 11 a store to ISPR
//! mark m4: C

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
    bkpt
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
"#,
    options(raw)
);
