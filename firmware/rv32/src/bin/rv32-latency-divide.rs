//! Divisions for interrupts to arrive in.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../trap.s"),
    include_str!("../arriving.s"),
    r#"
    .option arch, +m
    .globl measure
measure:
    arriving
    li t0, 7
    li t2, 1000
    block divides, 32, "div t1, t2, t0"
    left
"#,
    options(raw)
);
