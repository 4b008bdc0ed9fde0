# Blocks of instructions for interrupts to arrive in. In the last of the three passes, when caches are warm, a block begins with
# the label `in_…`.
    .option norelax
    .text

# Enables the timer's interrupt, and has the trap handler run once.
    .macro arriving
    handled
    ecall
    li t0, 0x80
    csrw mie, t0
    csrsi mstatus, 8
    li s3, 1
    .endm

    .macro left
    csrci mstatus, 8
    ret
    .endm

    .macro block name, count, insn
    .globl in_\name
    .balign 32
    bne s0, s3, 1f
in_\name:
    nop
1:
    .rept \count
    \insn
    .endr
    .endm
