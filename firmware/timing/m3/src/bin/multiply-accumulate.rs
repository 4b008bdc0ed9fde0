//! MLA and MLS take two cycles, MUL one; MLA takes one right after UMULL or SMULL whose upper word it accumulates.
//!
//! mark: A
//! evidence: DDI 0337I table 3-1; published with `CMEmu`, on an STM32F100RB
//! cycles: 2 MLA
//! cycles: 2 MLS
//! cycles: 5 MLA, MLS, MUL
//! cycles: 4 UMULL of short operands and MLA
//! cycles: 5 UMLAL of short operands and MLA

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m3 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    movs r1, #3
    movs r2, #5
    bkpt
    mla r3, r1, r2, r1
    bkpt

    bkpt
    mls r3, r1, r2, r1
    bkpt

    bkpt
    mla r3, r1, r2, r1
    mls r3, r1, r2, r1
    mul r3, r1, r2
    bkpt

    bkpt
    umull r4, r5, r1, r2
    mla r6, r1, r2, r5
    bkpt

    movs r4, #0
    movs r5, #0
    bkpt
    umlal r4, r5, r1, r2
    mla r6, r1, r2, r5
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
