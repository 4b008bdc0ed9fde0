//! Code for interrupts to arrive in.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../trap.s"),
    include_str!("../arriving.s"),
    r#"
    .globl measure
measure:
    arriving
    block nops, 128, nop
    block loads, 64, "lw t1, 0(s1)"
    block stores, 64, "sw t1, 0(s1)"
    block jumps, 64, "j . + 4"
    left
"#,
    options(raw)
);
