# Multiplication and division (unprivileged ISA manual, chapter 7): signs, upper halves, division by 0, overflow.
        .include "start.inc"
        .globl  _start
_start: li      t0, -7
        li      t1, 2
        mul     t2, t0, t1
        expect  1, t2, -14
        mulh    t2, t0, t1
        expect  2, t2, -1
        mulhu   t2, t0, t1
        expect  3, t2, 1
        mulhsu  t2, t1, t0
        expect  4, t2, 1
        div     t2, t0, t1
        expect  5, t2, -3
        rem     t2, t0, t1
        expect  6, t2, -1
        divu    t2, t0, t1
        expect  7, t2, 0x7ffffffc
        remu    t2, t0, t1
        expect  8, t2, 1
        div     t2, t0, zero
        expect  9, t2, -1
        rem     t2, t0, zero
        expect  10, t2, -7
        divu    t2, t0, zero
        expect  11, t2, 0xffffffff
        li      t0, 0x80000000
        li      t1, -1
        div     t2, t0, t1
        expect  12, t2, 0x80000000
        rem     t2, t0, t1
        expect  13, t2, 0
        finish
