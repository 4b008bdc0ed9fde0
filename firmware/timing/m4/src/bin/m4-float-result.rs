//! A result of arithmetic is late by a cycle for an instruction that reads it right after; for a multiply-accumulate that adds to
//! it, it is not.
//!
//! mark: B
//! evidence: DDI 0439 7.2.3; the pipeline description of GCC (`cortex-m4-fpu.md`)
//! cycles: 3 a sum, and a sum that needs it
//! cycles: 3 the same with an instruction between
//! cycles: 3 a sum, and a store of it
//! cycles: 4 a sum, and a product added to it
//! cycles: 5 a sum, and a product of it
//! cycles: 2 a negation, and a sum that needs it

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
    ldr r0, =scratch
    .balign 4
    nop
    bkpt
    vadd.f32 s0, s1, s2
    vadd.f32 s3, s0, s2
    bkpt

    .balign 4
    nop
    bkpt
    vadd.f32 s0, s1, s2
    adds r1, #1
    vadd.f32 s3, s0, s2
    bkpt

    .balign 4
    nop
    bkpt
    vadd.f32 s0, s1, s2
    vstr s0, [r0]
    bkpt

    .balign 4
    nop
    bkpt
    vadd.f32 s0, s1, s2
    vmla.f32 s0, s1, s2
    bkpt

    .balign 4
    nop
    bkpt
    vadd.f32 s0, s1, s2
    vmla.f32 s3, s0, s2
    bkpt

    .balign 4
    nop
    bkpt
    vneg.f32 s0, s1
    vadd.f32 s3, s0, s2
    bkpt

    b measured
    .size measure, . - measure
    .ltorg

    .section .bss.scratch, "aw", %nobits
    .balign 8
    .global scratch
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
"#,
    options(raw)
);
