//! Supervisor mode under page tables: translations that are not known, page faults, calls.
//!
//! All memory is at its own address in a large page, and page 16 of the table `leaf` is the page of `data`.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    include_str!("../row.s"),
    r#"
    # A row after SFENCE.VMA: when its own page is known again, nothing else is.
    .macro anew name, insn:vararg
    sfence.vma
    .rept 4
    nop
    .endr
    row \name, \insn
    .endm

    .text
    .globl measure
measure:
    mv s2, ra
    la t0, machine
    csrw mtvec, t0
    la t0, supervisor_trap
    csrw stvec, t0
    # Page faults of loads and stores go to supervisor mode.
    li t0, 0xa000
    csrw medeleg, t0

    # The large pages: 0 all memory as it is, 9 the same again; entry 8 is the other table.
    la s4, root
    li t0, 0xcf
    sw t0, 0(s4)
    sw t0, 36(s4)
    la t1, leaf
    srli t2, t1, 2
    addi t2, t2, 1
    sw t2, 32(s4)
    # In that table page 16 is the data, and page 17 nothing.
    srli t2, s1, 12
    slli t2, t2, 10
    or t2, t2, t0
    sw t2, 64(t1)
    slli t3, s1, 20
    srli t3, t3, 20
    # Their addresses: in the table, in the large page, nowhere.
    lui s5, 0x2010
    add s5, s5, t3
    lui s6, 0x2400
    add s6, s6, s1
    lui s7, 0x2011
    # Two lines where those of the tables are in the cache.
    lui s8, 0xa

    srli t0, s4, 12
    lui t1, 0x80000
    or s9, t0, t1
    csrw satp, s9
    sfence.vma
    li t0, 3 << 11
    csrc mstatus, t0
    li t0, 1 << 11
    csrs mstatus, t0
    la t0, supervisor
    csrw mepc, t0
    mret

supervisor:
    row nop
    anew translated_load, nop
    lw t1, 0(s5)
    row load, lw t1, 0(s5)
    anew page_miss, lw t1, 0(s5)
    anew page_miss_store, sw t1, 0(s5)
    anew large_page_miss, lw t1, 0(s6)
    sfence.vma
    lw t1, 32(s8)
    lw t1, 64(s8)
    row page_miss_tables_missed, lw t1, 0(s5)
    row sfence_vma, sfence.vma
    row satp_write, csrw satp, s9
    row page_fault, lw t1, 0(s7)
    row page_fault_again, lw t1, 0(s7)
    li a0, 0
    row supervisor_call, ecall
    li a0, 1
    ecall

    # In supervisor mode: skips the instruction.
    .balign 64
    .globl supervisor_return
supervisor_trap:
    csrr t6, sepc
    addi t6, t6, 4
    csrw sepc, t6
supervisor_return:
    sret

    # In machine mode: skips the call, or goes back.
    .balign 64
machine:
    bnez a0, 1f
    csrr t6, mepc
    addi t6, t6, 4
    csrw mepc, t6
    mret
1:  csrw satp, zero
    sfence.vma
    jr s2

    .data
    .balign 4096
root:
    .space 4096
leaf:
    .space 4096
"#,
    options(raw)
);
