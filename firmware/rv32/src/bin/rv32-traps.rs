//! Into an exception's handler, and back.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../trap.s"),
    include_str!("../row.s"),
    r#"
    .text
    .globl measure
measure:
    handled
    li t0, 1
    row nop
    row call, ecall
    row illegal, .word 0xffffffff
    row misaligned_load, lw t1, 1(s1)
    ret
"#,
    options(raw)
);
