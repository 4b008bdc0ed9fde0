//! Protection of memory by `VexRiscv`'s `PmpPlugin`: setting it up, and running into it in user mode.

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
    la t0, from_user
    csrw mtvec, t0

    row nop
    row pmpaddr_write, csrw pmpaddr2, zero
    row pmpaddr_read, csrr t1, pmpaddr2
    row pmpcfg_write, csrw pmpcfg3, zero
    row pmpcfg_read, csrr t1, pmpcfg3

    # In user mode everything is allowed in region 0, and nothing outside it. It is the first 32 KiB: to this core a quarter of what that says.
    li t0, 0x3fff
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 3 << 11
    csrc mstatus, t0
    la t0, user
    csrw mepc, t0
    la s5, data
    lui s6, 0xc
    mret

user:
    row user_load, lw t1, 0(s5)
    row user_call, ecall
    row refused_load, lw t1, 0(s6)
    row refused_store, sw t1, 0(s6)
    .balign 32
    nop
    .globl from_refused_fetch, to_refused_fetch
from_refused_fetch:
    nop
    jalr ra, 0(s6)
to_refused_fetch:
    nop
    # The way out is an instruction that user mode does not have.
    csrw mepc, zero

    # Skips the instruction that an exception met; a refused fetch continues after the call.
    .balign 64
    .globl from_user, to_user
from_user:
    csrr t6, mcause
    addi t5, t6, -2
    beqz t5, back
    addi t5, t6, -1
    beqz t5, 1f
    csrr t6, mepc
    addi t6, t6, 4
    csrw mepc, t6
to_user:
    mret
1:  csrw mepc, ra
    mret
back:
    csrw pmpcfg0, zero
    jr s2
"#,
    options(raw)
);
