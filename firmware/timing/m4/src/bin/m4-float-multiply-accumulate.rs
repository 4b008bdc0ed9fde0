//! A multiply-accumulate takes three cycles, chained or fused; one after the other adds to the same sum without waiting.
//!
//! mark: A
//! evidence: DDI 0439 table 7-1; loops published of an STM32G474RE
//! cycles: 3 VMLA
//! cycles: 12 VMLS, VNMLA, VNMLS, VFMA to the same register
//! cycles: 4 VFMA and an addition of integers

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
    vmla.f32 s0, s1, s2
    bkpt

    .balign 4
    nop
    bkpt
    vmls.f32 s0, s1, s2
    vnmla.f32 s0, s1, s2
    vnmls.f32 s0, s1, s2
    vfma.f32 s0, s1, s2
    bkpt

    .balign 4
    nop
    bkpt
    vfma.f32 s0, s1, s2
    add.w r1, r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
