//! A store to the NVIC takes effect two cycles after its address phase: when it ends.
//!
//! mark: D
//! evidence: as on the Cortex-M3
//! cycles: 14 no instruction behind the store executes first
//! cycles: 1 and none has: BNE, not taken because of it
//! mark m0: D
//! cycles m0: 15 no instruction behind the store executes first
//! cycles m0: 1 and none has: BNE, not taken because of it

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
    movs r2, #0
    bkpt
    str r1, [r0]
    movs r2, #1
    nop

    bl measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global handler
    .type handler, %function
handler:
    bkpt
    cmp r2, #0
    bkpt
    bne 1f
1:
    bkpt
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
"#,
    options(raw)
);
