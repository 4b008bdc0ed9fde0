//! From recognition to the first instruction of a handler: 12 cycles, on the Cortex-M0 13.
//!
//! mark: B
//! evidence: DDI 0484C 3.6.1 (15 cycles from the input)
//! cycles: 14 a store to ISPR, which is seen when it ends
//! mark m0: B
//! evidence m0: DDI 0432C 3.6 (16 cycles from the input)
//! cycles m0: 15 a store to ISPR, which is seen when it ends

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
    movs r1, #1
    bkpt
    str r1, [r0]
    nop
    nop

    bl measured
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
