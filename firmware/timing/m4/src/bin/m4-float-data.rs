//! Single-precision arithmetic takes one cycle, but for division, square root and multiply-accumulate.
//!
//! mark: A
//! evidence: DDI 0439 table 7-1; loops published of an STM32G474RE
//! cycles: 1 VADD
//! cycles: 6 VSUB, VMUL, VNMUL, VABS, VNEG, VMOV of a register, none needs another
//! cycles: 3 VCMP, VMRS to the flags, VCVT

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
    vadd.f32 s0, s1, s2
    bkpt

    .balign 4
    nop
    bkpt
    vsub.f32 s3, s1, s2
    vmul.f32 s4, s1, s2
    vnmul.f32 s5, s1, s2
    vabs.f32 s6, s1
    vneg.f32 s7, s1
    vmov.f32 s8, s2
    bkpt

    .balign 4
    nop
    bkpt
    vcmp.f32 s1, s2
    vmrs apsr_nzcv, fpscr
    vcvt.s32.f32 s9, s1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
