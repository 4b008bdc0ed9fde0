# The beginning and the end of a compiled program in the harness: a table of handlers at 0, the first instruction at 0x80. The
# stack is at STACK. With TRAPS interrupts are counted; an exception ends the run.

.section .text.start, "ax"
.option push
.option norvc
table:
.rept 32
    j handler
.endr
.globl _start
_start:
    li sp, STACK
    li gp, 0
    li tp, 0
#ifdef TRAPS
    la t0, MTVEC
    csrw mtvec, t0
    li t0, -1
    csrw mie, t0
#ifdef MASKED
    csrw 0xbc0, t0
#endif
    csrsi mstatus, 8
#endif
    call work
finish:
    li t0, 0xfff00000
    sw a0, 0(t0)
    j .

handler:
#ifdef TRAPS
    addi sp, sp, -16
    sw t0, 0(sp)
    sw t1, 4(sp)
    csrr t0, mcause
    bgez t0, failed
    lw t1, interrupts
    addi t1, t1, 1
    sw t1, interrupts, t0
    lw t0, 0(sp)
    lw t1, 4(sp)
    addi sp, sp, 16
    mret
failed:
    li a0, -1
#endif
    j finish
.option pop

# What a compiler may call: a0 memcpy(a0, a1, a2), a0 memset(a0, a1, a2).
.text
.globl memcpy, memset
memcpy:
    mv a3, a0
1:  beqz a2, 2f
    lbu a4, 0(a1)
    sb a4, 0(a3)
    addi a1, a1, 1
    addi a3, a3, 1
    addi a2, a2, -1
    j 1b
memset:
    mv a3, a0
3:  beqz a2, 2f
    sb a1, 0(a3)
    addi a3, a3, 1
    addi a2, a2, -1
    j 3b
2:  ret
