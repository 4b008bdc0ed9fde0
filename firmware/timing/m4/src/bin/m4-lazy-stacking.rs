//! The first floating-point instruction of a handler waits until the registers of the code that was left are saved: 17
//! words. The second does not.
//!
//! mark: D
//! evidence: ARMv7-M ARM B1.5.7; Arm AN298 for the number of words
//! cycles: 18 the first
//! cycles: 1 the second

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m4 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    vmov.f32 s0, #1.0
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
    vmov.f32 s0, #2.0
    bkpt

    bkpt
    vmov.f32 s1, #2.0
    bkpt
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
"#,
    options(raw)
);
