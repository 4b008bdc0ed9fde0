# Starts timer0 and sleeps until it interrupts. The exit code is the low byte of the cause, and 0x40 where WFI was left.
    j exception             # the table of handlers, with that of external interrupts
    .org 4 * 11
    j handler
    .org 0x80
.globl _start
_start:
    li s0, 0xf0001000       # timer0
    li s2, 0
    # The event of reset is still pending.
    li t0, 1
    sw t0, 24(s0)
    li t0, 1000
    sw t0, 0(s0)
    sw zero, 4(s0)
    li t0, 1
    sw t0, 28(s0)
    sw t0, 8(s0)
    li t0, 0x800
    csrw mie, t0
    csrsi mstatus, 8
    wfi
    ori s2, s2, 0x40
    li t1, 0xfff00000
    sw s2, 0(t1)
1:  j 1b
handler:
    li t1, 1
    sw t1, 24(s0)
    csrr t0, mcause
    andi s2, t0, 0xff
    mret
exception:
    j exception
