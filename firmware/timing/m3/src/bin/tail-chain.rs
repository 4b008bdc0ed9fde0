//! From the last instruction of a handler to the first of the next one, which was pending: 6 cycles.
//!
//! mark: A
//! evidence: study 000, row tail-chain
//! cycles: 6 BX LR, to a less urgent handler
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
    lsls r1, r1, #1
    str r1, [r0]
    nop
    nop
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global first
    .type first, %function
first:
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    str r1, [r0]
    nop
    nop
    bkpt
    bx lr
    .size first, . - first
    .global IRQ1
    .thumb_set IRQ1, first
    .ltorg

    .balign 4
    .global second
    .type second, %function
second:
    bkpt
    bx lr
    .size second, . - second
    .global IRQ0
    .thumb_set IRQ0, second
"#,
    options(raw)
);
