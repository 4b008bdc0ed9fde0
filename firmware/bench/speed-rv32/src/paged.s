# Behind Sv32 into supervisor mode: each page of 4 KiB of the memory at its own address. BASE is the memory's, from the linker.

    .section .text
    .globl main
main:
    # The memory's 128 KiB from its base on, in pages of 4 KiB, of which all bits are set: valid, read, write, execute, accessed, dirty.
    la t0, leaf
    lui t1, %hi(BASE)
    srli t1, t1, 2
    ori t1, t1, 0xcf
    addi t2, t0, 128
1:  sw t1, 0(t0)
    addi t0, t0, 4
    addi t1, t1, 1 << 10
    bne t0, t2, 1b
    la t0, root
    la t1, leaf
    srli t1, t1, 2
    addi t1, t1, 1
    lui t2, %hi(BASE)
    srli t2, t2, 20
    add t2, t2, t0
    sw t1, 0(t2)
    # The ports of the board, the last 4 MiB.
    li t1, 0x3ff000cf
    li t2, 0xffc
    add t2, t2, t0
    sw t1, 0(t2)

    srli t0, t0, 12
    lui t1, 0x80000
    or t0, t0, t1
    csrw satp, t0
    sfence.vma
    li t0, 3 << 11
    csrc mstatus, t0
    li t0, 1 << 11
    csrs mstatus, t0
    la t0, supervisor
    csrw mepc, t0
    mret

    .section .bss.tables, "aw", %nobits
    .balign 4096
root:
    .space 4096
leaf:
    .space 4096
