//! One row for each class of instructions of RV32I, as every core has them.

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
    mv s2, ra
    li t0, 1
    row nop
    row nop_nop, nop
    row alu, addi t1, t0, 1
    use alu_use, addi t1, t0, 1
    row lui, lui t1, 1
    row auipc, auipc t1, 1
    row shift_by_1, slli t1, t0, 1
    row shift_by_31, slli t1, t0, 31
    use shift_by_31_use, slli t1, t0, 31
    row load, lw t1, 0(s1)
    use load_use, lw t1, 0(s1)
    row load_byte, lbu t1, 1(s1)
    use load_byte_use, lbu t1, 1(s1)
    row store, sw t0, 0(s1)
    # Another line in each pass.
    slli t4, s0, 10
    lui t3, 0x8
    add s4, t3, t4
    row load_miss, lw t1, 0(s4)
    row branch_not_taken, bne zero, zero, . + 4
    row branch_forward, beq zero, zero, . + 4
    row jump, j . + 4
    la t1, to_jump_register
    row jump_register, jr t1
    row fence, fence

    # Two of the same, one after the other.
    .macro twice name, first, second
    .balign 32
    nop
    nop
    .globl from_\name, to_\name
from_\name:
    nop
    \first
    \second
to_\name:
    nop
    .endm
    twice load_load, "lw t1, 0(s1)", "lw t2, 4(s1)"
    twice store_store, "sw t0, 0(s1)", "sw t0, 4(s1)"
    twice store_load, "sw t0, 0(s1)", "lw t2, 0(s1)"

    # A branch back, taken.
    .balign 32
    j 2f
    .globl from_branch_backward, to_branch_backward
to_branch_backward:
1:  nop
    j 3f
from_branch_backward:
2:  nop
    beq zero, zero, 1b
3:
    # A call and its return.
    .balign 32
    nop
    .globl from_call, in_call, to_call
from_call:
    nop
    jal ra, 1f
to_call:
    nop
    jr s2
in_call:
1:  ret
"#,
    options(raw)
);
