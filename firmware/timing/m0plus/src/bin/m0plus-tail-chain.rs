//! From the last instruction of a handler to the first of the next one, which was pending: 1 cycle and 4, on the
//! Cortex-M0 5.
//!
//! mark: D
//! evidence: DDI 0484C 3.6.1 (that it is); inference from the entry (how long it takes)
//! cycles: 5 BX LR, to a less urgent handler
//! mark m0: D
//! evidence m0: DDI 0432C 3.6 (that it is); inference from the entry (how long it takes)
//! cycles m0: 6 BX LR, to a less urgent handler

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m0plus as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =0xe000e200  @ NVIC_ISPR
    movs r1, #2
    str r1, [r0]
    nop
    nop

    bl measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global first
    .type first, %function
first:
    ldr r0, =0xe000e200  @ NVIC_ISPR
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
