//! One row for each class of atomic operations.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../row.s"),
    r#"
    .option arch, +a
    .text
    .globl measure
measure:
    li t0, 1
    # Another line in each pass.
    slli t4, s0, 10
    lui t3, 0x8
    add s4, t3, t4
    row nop
    row nop_nop, nop
    row load_reserved, lr.w t1, (s1)
    use load_reserved_use, lr.w t1, (s1)
    row store_conditional, sc.w t1, t0, (s1)
    # Nothing is reserved here.
    row store_conditional_fails, sc.w t1, t0, (s1)
    row amo, amoadd.w t1, t0, (s1)
    use amo_use, amoadd.w t1, t0, (s1)
    row amo_miss, amoadd.w t1, t0, (s4)

    # A lock: taken and given back.
    sw zero, 0(s1)
    .balign 32
    nop
    .globl from_spinlock, to_spinlock
from_spinlock:
    nop
1:  amoswap.w.aq t1, t0, (s1)
    bnez t1, 1b
    amoswap.w.rl zero, zero, (s1)
to_spinlock:
    nop
    ret
"#,
    options(raw)
);
