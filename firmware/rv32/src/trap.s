# The trap handler, and `handled`, which has traps go there. It skips the instruction that an exception met; an interrupt is done as
# soon as it is entered. t6 is its own.
#
# Ibex takes it for a table: an exception goes to its first instruction, and the timer's interrupt to the eighth.
    .option norelax
    .macro handled
    la t6, trap
    csrw mtvec, t6
    .endm

    .text
    .balign 256
    .globl trap, trap_return
trap:
    csrr t6, mcause
    bltz t6, trap_return
    csrr t6, mepc
    addi t6, t6, 4
    csrw mepc, t6
trap_return:
    mret
    nop
    mret
