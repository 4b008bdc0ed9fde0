# Multiplication and division (unprivileged ISA manual, chapter 7): signs, upper halves, division by 0, overflow.
        .include "start.inc"
        begin

        rr      mul, 0, 0, 0
        rr      mul, 1, 1, 1
        rr      mul, -14, -7, 2
        rr      mul, -14, 2, -7
        rr      mul, 14, -7, -2
        rr      mul, 1, -1, -1
        rr      mul, 0x80000000, 0x80000000, -1
        rr      mul, 0, 0x80000000, 0x80000000
        rr      mul, 1, 0x7fffffff, 0x7fffffff
        rr      mul, 0xfffe0001, 0xffff, 0xffff
        rr      mul, 0x366176f8, 0x12345678, 0x9abcdef1

        rr      mulh, 0, 0, -1
        rr      mulh, -1, -7, 2
        rr      mulh, 0, -1, -1
        rr      mulh, 0x40000000, 0x80000000, 0x80000000
        rr      mulh, 0xc0000000, 0x80000000, 0x7fffffff
        rr      mulh, 0x3fffffff, 0x7fffffff, 0x7fffffff
        rr      mulh, 0, 0x80000000, -1
        rr      mulhu, 0, 0, -1
        rr      mulhu, 1, -7, 2
        rr      mulhu, 0xfffffffe, -1, -1
        rr      mulhu, 0x40000000, 0x80000000, 0x80000000
        rr      mulhu, 0x7fffffff, 0x80000000, -1
        rr      mulhsu, -1, -7, 2
        rr      mulhsu, 1, 2, -7
        rr      mulhsu, -1, -1, -1
        rr      mulhsu, 0x80000000, 0x80000000, -1
        rr      mulhsu, 0xc0000000, 0x80000000, 0x80000000
        rr      mulhsu, 0x7ffffffe, 0x7fffffff, -1

        rr      div, 3, 7, 2
        rr      div, -3, -7, 2
        rr      div, -3, 7, -2
        rr      div, 3, -7, -2
        rr      div, 0, 1, 2
        rr      div, 0, 0, 5
        rr      div, 0x80000000, 0x80000000, 1
        rr      div, 1, 0x80000000, 0x80000000
        rr      div, 0, 0x7fffffff, 0x80000000
        rr      div, 0xc0000001, 0x7fffffff, -2
        rr      divu, 3, 7, 2
        rr      divu, 0x7ffffffc, -7, 2
        rr      divu, 0, 7, -2
        rr      divu, 0xffffffff, -1, 1
        rr      divu, 1, -1, -1
        rr      divu, 0, 0x80000000, -1
        rr      divu, 0x12, 0x12345678, 0x01000000
        rr      rem, 1, 7, 2
        rr      rem, -1, -7, 2
        rr      rem, 1, 7, -2
        rr      rem, -1, -7, -2
        rr      rem, 1, 1, 2
        rr      rem, 0, 0x80000000, 1
        rr      rem, 0x7fffffff, 0x7fffffff, 0x80000000
        rr      remu, 1, 7, 2
        rr      remu, 1, -7, 2
        rr      remu, 7, 7, -2
        rr      remu, 0, -1, -1
        rr      remu, 0x80000000, 0x80000000, -1
        rr      remu, 0x345678, 0x12345678, 0x01000000

# By 0, and the quotient that does not fit.
        .irp    a, 0, 1, -7, 0x7fffffff, 0x80000000
        rr      div, -1, \a, 0
        rr      divu, 0xffffffff, \a, 0
        rr      rem, \a, \a, 0
        rr      remu, \a, \a, 0
        .endr
        rr      div, 0x80000000, 0x80000000, -1
        rr      rem, 0, 0x80000000, -1

        overlaps mul, -35, 25, 5, -7
        overlaps mulh, -1, 0, 5, -7
        overlaps div, -7, 1, -35, 5
        overlaps rem, -2, 0, -37, 5
        overlaps divu, 7, 1, 37, 5
        overlaps remu, 2, 0, 37, 5

# One after the other, each with the result of the one before.
        case
        li      x10, 12345
        li      x11, 67
        mul     x12, x10, x11
        div     x13, x12, x11
        rem     x14, x12, x10
        mulhu   x15, x12, x12
        sub     x13, x13, x10
        expect  x12, 827115
        expect  x13, 0
        expect  x14, 0
        expect  x15, 0x9f
# A quotient that is not used, and a branch that a remainder decides.
        case
        li      x10, 100
        li      x11, 7
        div     x12, x10, x11
        addi    x13, x10, 1
        rem     x14, x13, x11
        bnez    x14, 1f
        j       fail
1:      expect  x12, 14
        expect  x14, 3

        finish
