# Fills the UART's FIFO, starts timer0, and sleeps through both of their interrupts. The exit code is what they left in
# the core's pending register, first the timer's bit, then the UART's.
.globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    li s0, 0xf0001000       # timer0
    li s1, 0xf0001800       # uart
    li s2, 0
    # The event of reset is still pending.
    li t0, 1
    sw t0, 24(s0)
    li t0, 5000
    sw t0, 0(s0)
    sw zero, 4(s0)
    li t0, 1
    sw t0, 28(s0)
    sw t0, 8(s0)
    la s3, text
1:  lbu t0, 0(s3)
    beqz t0, 3f
2:  lw t1, 4(s1)
    bnez t1, 2b
    sw t0, 0(s1)
    addi s3, s3, 1
    j 1b
3:  li t0, 3
    csrw 0xbc0, t0
    li t0, 0x800
    csrw mie, t0
    csrsi mstatus, 8
4:  j 4b
.balign 4
handler:
    csrr t0, 0xfc0
    slli s2, s2, 4
    or s2, s2, t0
    andi t1, t0, 2
    beqz t1, 5f
    # The timer: clear its event, and let the UART say when there is room.
    li t1, 1
    sw t1, 24(s0)
    sw t1, 20(s1)
    mret
5:  li t1, 0xfff00000
    sw s2, 0(t1)
6:  j 6b
# One byte in the shift register, and sixteen behind it.
text: .asciz "seventeen bytes.\n"
