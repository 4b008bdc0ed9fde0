# Atomic operations (unprivileged ISA manual, chapter 8): LR and SC, and with AMO what reads, changes and writes.
        .include "start.inc"
        begin
        la      x8, word

# LR loads, SC after it stores and writes 0.
        case
        li      x10, 0x11112222
        sw      x10, 0(x8)
        lr.w    x11, (x8)
        expect  x11, 0x11112222
        case
        li      x10, 0x33334444
        lr.w    x11, (x8)
        sc.w    x12, x10, (x8)
        expect  x12, 0
        lw      x13, 0(x8)
        expect  x13, 0x33334444

# A second SC finds no reservation: it stores nothing and writes what is not 0.
        case
        li      x10, 0x55556666
        sc.w    x12, x10, (x8)
        snez    x12, x12
        expect  x12, 1
        lw      x13, 0(x8)
        expect  x13, 0x33334444

# An SC that failed ends nothing that comes after it.
        case
        li      x10, 0x77778888
        lr.w    x11, (x8)
        sc.w    x12, x10, (x8)
        lw      x13, 0(x8)
        expect  x12, 0
        expect  x13, 0x77778888

# The reservation of the last LR counts, and where SC fails for another address, it is gone too.
        case
        la      x9, other
        li      x10, 0x99990000
        lr.w    x11, (x8)
        lr.w    x11, (x9)
        sc.w    x12, x10, (x9)
        lw      x13, 0(x9)
        expect  x12, 0
        expect  x13, 0x99990000
        .if     !RESERVES_ANY
        case
        lr.w    x11, (x8)
        sc.w    x12, x10, (x9)
        snez    x12, x12
        expect  x12, 1
        sc.w    x12, x10, (x8)
        snez    x12, x12
        expect  x12, 1
        .endif

# The same register throughout, and x0: the store is made, nothing is written.
        case
        lr.w    x10, (x8)
        addi    x10, x10, 1
        sc.w    x10, x10, (x8)
        expect  x10, 0
        lw      x13, 0(x8)
        expect  x13, 0x77778889
        case
        lr.w    x0, (x8)
        sc.w    x0, x0, (x8)
        add     x11, x0, x0
        lw      x13, 0(x8)
        expect  x11, 0
        expect  x13, 0
# The address may be overwritten by what LR loads; orderings change nothing.
        case
        la      x10, word
        sw      x10, 0(x10)
        lr.w.aq x10, (x10)
        sc.w.rl x11, x8, (x10)
        expect  x11, 0
        lw      x12, 0(x8)
        sub     x12, x12, x8
        expect  x12, 0
# A loop as programs have it.
        case
        li      x10, 10
        sw      x0, 0(x8)
1:      lr.w.aqrl x11, (x8)
        addi    x11, x11, 5
        sc.w.aqrl x12, x11, (x8)
        bnez    x12, 1b
        addi    x10, x10, -1
        bnez    x10, 1b
        lw      x13, 0(x8)
        expect  x13, 50

        .if     AMO
# An AMO: the old value comes, the new one stays.
        .macro  amo op, new, old, operand
        case
        li      x10, \old
        li      x11, \operand
        sw      x10, 0(x8)
        \op     x12, x11, (x8)
        lw      x13, 0(x8)
        expect  x12, \old
        expect  x13, \new
        .endm
        amo     amoswap.w, 0x12345678, 0x9abcdef0, 0x12345678
        amo     amoswap.w.aqrl, 0, -1, 0
        amo     amoadd.w, 3, 1, 2
        amo     amoadd.w, 0x80000000, 0x7fffffff, 1
        amo     amoadd.w.aq, 0, -1, 1
        amo     amoxor.w, 0x0ff00ff0, 0xff00ff00, 0xf0f0f0f0
        amo     amoand.w, 0xf000f000, 0xff00ff00, 0xf0f0f0f0
        amo     amoor.w.rl, 0xfff0fff0, 0xff00ff00, 0xf0f0f0f0
        amo     amomin.w, -1, -1, 1
        amo     amomin.w, -1, 1, -1
        amo     amomin.w, 0x80000000, 0x80000000, 0x7fffffff
        amo     amomin.w, 5, 5, 5
        amo     amomax.w, 1, -1, 1
        amo     amomax.w, 1, 1, -1
        amo     amomax.w, 0x7fffffff, 0x80000000, 0x7fffffff
        amo     amominu.w, 1, -1, 1
        amo     amominu.w, 1, 1, -1
        amo     amominu.w, 0x7fffffff, 0x80000000, 0x7fffffff
        amo     amomaxu.w, -1, -1, 1
        amo     amomaxu.w, -1, 1, -1
        amo     amomaxu.w, 0x80000000, 0x80000000, 0x7fffffff
# The destination is the operand, the address, or x0.
        case
        li      x10, 7
        li      x11, 8
        sw      x10, 0(x8)
        amoadd.w x11, x11, (x8)
        lw      x13, 0(x8)
        expect  x11, 7
        expect  x13, 15
        case
        addi    x9, x8, 0
        amoadd.w x9, x11, (x9)
        lw      x13, 0(x8)
        expect  x9, 15
        expect  x13, 22
        case
        amoswap.w x0, x11, (x8)
        add     x12, x0, x0
        lw      x13, 0(x8)
        expect  x12, 0
        expect  x13, 7
# Neighbours are left alone.
        case
        lw      x13, -4(x8)
        expect  x13, 0x01234567
        lw      x13, 4(x8)
        expect  x13, 0x89abcdef
        .endif

        finish

        .balign 4
        .word   0x01234567
word:   .word   0
        .word   0x89abcdef
        .skip   64
other:  .word   0
