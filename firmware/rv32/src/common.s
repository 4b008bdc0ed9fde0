# The start: calls `measure` three times, and ends the run by the ports of the boards.

    .option norelax
    .section .text.start, "ax", %progbits
    .globl _start
_start:
    lui sp, 0x10
    la s1, data
    li s0, 3
1:  jal ra, measure
    addi s0, s0, -1
    bnez s0, 1b
    lui a1, 0xfff00
    sw zero, 0(a1)
2:  j 2b

    .data
    .balign 64
    .globl data
data:
    .space 256
