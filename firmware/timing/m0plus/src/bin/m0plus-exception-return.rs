//! From BX LR to the instruction that execution goes on with: 1 cycle and 10, on the Cortex-M0 11.
//!
//! mark: D
//! evidence: inference from the entry: no published figure
//! cycles: 11 BX LR
//! mark m0: D
//! cycles m0: 12 BX LR

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
    str r1, [r0]
    bkpt

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
