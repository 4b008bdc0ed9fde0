//! VDIV and VSQRT take fourteen cycles of the floating-point unit; integer instructions go on meanwhile.
//!
//! mark: A
//! evidence: DDI 0439 table 7-1; the pipeline description of GCC (`cortex-m4-fpu.md`); loops published of an STM32G474RE
//! cycles: 16 a quotient, and a sum that needs it
//! cycles: 15 a quotient, and a move to the unit that does not
//! cycles: 3 a quotient and two additions of integers
//! cycles: 29 a square root, a square root, and a move to the unit

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
    .balign 4
    nop
    bkpt
    vdiv.f32 s0, s1, s2
    vadd.f32 s3, s0, s2
    bkpt

    .balign 4
    nop
    bkpt
    vdiv.f32 s0, s1, s2
    vmov s4, r0
    bkpt

    .balign 4
    nop
    bkpt
    vdiv.f32 s0, s1, s2
    add.w r1, r1, #1
    add.w r2, r2, #1
    bkpt

    vmov s4, r0
    .balign 4
    nop
    bkpt
    vsqrt.f32 s0, s1
    vsqrt.f32 s3, s1
    vmov s4, r0
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
