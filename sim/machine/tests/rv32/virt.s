# prints, waits for a timer interrupt, then a UART interrupt over PLIC, exits with source id
.globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    # CLINT: mtimecmp = mtime + 50
    li s0, 0x0200c000
    li s1, 0x02004000
    lw t1, -8(s0)
    addi t1, t1, 50
    li t2, -1
    sw t2, 4(s1)
    sw t1, 0(s1)
    sw zero, 4(s1)
    li t0, 0x80
    csrw mie, t0
    csrsi mstatus, 8
1:  beqz s3, 1b
    # PLIC: source 10, priority 1, machine enable
    li s4, 0x0c000000
    li t0, 1
    sw t0, 40(s4)
    li t1, 0x0c002000
    li t0, 1024
    sw t0, 0(t1)
    li t1, 0x0c200000
    sw zero, 0(t1)
    li t0, 0x800
    csrw mie, t0
    # UART: print "ok\n", enable THR interrupt
    li s5, 0x10000000
    li t0, 'o'
    sb t0, 0(s5)
    li t0, 'k'
    sb t0, 0(s5)
    li t0, '\n'
    sb t0, 0(s5)
    li t0, 2
    sb t0, 1(s5)
2:  j 2b
.balign 4
handler:
    csrr t3, mcause
    slli t3, t3, 1
    srli t3, t3, 1
    li t4, 7
    bne t3, t4, external
    # timer: push compare away
    sw t2, 4(s1)
    li s3, 1
    mret
external:
    li t1, 0x0c200000
    lw t0, 4(t1)       # claim
    sw t0, 4(t1)
    # exit code = claimed source + mcause code (10 + 11 = 21)
    add t0, t0, t3
    slli t0, t0, 16
    li t1, 0x3333
    or t0, t0, t1
    li t1, 0x00100000
    sw t0, 0(t1)
3:  j 3b
