//! Control and status registers, and FENCE.I.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../row.s"),
    r#"
    .text
    .globl measure
measure:
    li t0, 1
    row csr_read, csrr t1, mepc
    use csr_read_use, csrr t1, mepc
    row csr_write, csrw mepc, t0

    # FENCE.I is felt some instructions later.
    .macro eight name, insn:vararg
    .balign 64
    .globl from_\name, to_\name
from_\name:
    nop
    \insn
    .rept 8
    nop
    .endr
to_\name:
    nop
    .endm
    eight eight_nops
    eight fence_i, .insn i 0x0f, 1, x0, x0, 0
    ret
"#,
    options(raw)
);
