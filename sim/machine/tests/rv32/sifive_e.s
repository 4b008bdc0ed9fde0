.globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    # PLL: 16 MHz, R = 2, F = 40 (VCO 640 MHz), Q = 2: 320 MHz, select
    li s0, 0x10008000
    li t0, 1 | 39 << 4 | 1 << 10 | 1 << 16 | 1 << 17
    sw t0, 8(s0)
1:  lw t1, 8(s0)
    bgez t1, 1b
    # UART0 on GPIO 17
    li s1, 0x10012000
    li t0, 1 << 17
    sw t0, 0x38(s1)
    li s2, 0x10013000
    li t0, 2778
    sw t0, 0x18(s2)
    li t0, 1 << 16 | 1
    sw t0, 8(s2)
    la s3, text
2:  lbu t0, 0(s3)
    beqz t0, 4f
3:  lw t1, 0(s2)
    bltz t1, 3b
    sw t0, 0(s2)
    addi s3, s3, 1
    j 2b
4:  # the transmitter's watermark interrupt, source 3
    li t2, 0x0c000000
    li t0, 1
    sw t0, 12(t2)
    li t2, 0x0c002000
    li t0, 8
    sw t0, 0(t2)
    li t0, 1
    sw t0, 0x10(s2)
    li t0, 0x800
    csrw mie, t0
    csrsi mstatus, 8
5:  j 5b
.balign 4
handler:
    li t2, 0x0c200000
    lw s4, 4(t2)
    sw zero, 0x10(s2)
    # exit with semihosting: code is the source
    la a1, block
    sw s4, 4(a1)
    li a0, 0x20
.balign 16
.option norvc
    slli x0, x0, 0x1f
    ebreak
    srai x0, x0, 7
6:  j 6b
text: .asciz "fe310\n"
.data
.balign 4
block: .word 0x20026, 0
