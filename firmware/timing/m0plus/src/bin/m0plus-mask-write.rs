//! An interrupt held back by PRIMASK enters when the mask falls: 1 cycle for the instruction, 12 for the entry,
//! on the Cortex-M0 13.
//!
//! mark: D
//! evidence: as on the Cortex-M3
//! cycles: 13 CPSIE
//! mark m0: D
//! cycles m0: 14 CPSIE

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
    cpsid i
    ldr r0, =0xe000e200  @ NVIC_ISPR
    movs r1, #1
    str r1, [r0]
    nop
    nop
    bkpt
    cpsie i
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
