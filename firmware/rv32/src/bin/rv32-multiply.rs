//! Multiplication and division.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../row.s"),
    r#"
    .option arch, +m
    .text
    .globl measure
measure:
    li t0, 7
    li t3, 1000
    row mul, mul t1, t3, t0
    use mul_use, mul t1, t3, t0
    row mulh, mulh t1, t3, t0
    row div, div t1, t3, t0
    use div_use, div t1, t3, t0
    row div_by_zero, div t1, t3, zero
    row rem, rem t1, t3, t0
    ret
"#,
    options(raw)
);
