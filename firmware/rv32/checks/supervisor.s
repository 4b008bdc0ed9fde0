# Supervisor mode: a call from user mode that is delegated, and Sv32: a page read, and one that may not be written.
        .include "start.inc"
        .equ    ROOT, 0x8000
        begin
        la      t0, open
        csrw    mtvec, t0
        li      t0, -1                 # everything is open to every mode, where there is protection
        csrw    pmpaddr0, t0
        li      t0, 0x1f
        csrw    pmpcfg0, t0
        .align  2
open:   la      t0, machine
        csrw    mtvec, t0
        la      t0, super
        csrw    stvec, t0
        li      t0, 0x8100             # calls from user mode, stores to forbidden pages
        csrw    medeleg, t0
        # 4 MiB at 0 for supervisor mode: valid, read, execute, accessed; the same at 4 MiB for user mode.
        li      t1, ROOT
        li      t0, 0x4b
        sw      t0, 0(t1)
        li      t0, 0x5b
        sw      t0, 4(t1)
        li      t0, 0x80000008
        csrw    satp, t0
        sfence.vma
        li      t0, 0x1800
        csrc    mstatus, t0
        la      t0, user
        li      t1, 0x400000
        add     t0, t0, t1
        csrw    mepc, t0
        li      s0, 0
        mret
user:   li      t1, 0x408000
        lw      s1, 0(t1)              # the first entry of the table itself
        ecall
        sw      zero, 0(t1)
        ecall
        .align  2
super:  case
        addi    s0, s0, 1
        li      t0, 1
        bne     s0, t0, second
        csrr    t2, scause
        expect  t2, 8
        expect  s1, 0x4b
        csrr    t2, sepc
        addi    t2, t2, 4
        csrw    sepc, t2
        sret
second: case
        csrr    t2, scause
        expect  t2, 15
        csrr    t2, stval
        expect  t2, 0x408000
        ecall                          # not delegated: to machine mode
        .align  2
machine: case
        csrr    t2, mcause
        expect  t2, 9
        finish
