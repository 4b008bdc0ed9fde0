# Loads the same word a hundred times.
.globl _start
_start:
    li t0, 0x80001000
    li t1, 100
1:  lw t2, 0(t0)
    addi t1, t1, -1
    bnez t1, 1b
    li t0, 0xfff00000
    sw zero, 0(t0)
2:  j 2b
