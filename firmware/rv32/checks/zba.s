# Zba (bit manipulation manual): shift and add.
        .include "start.inc"
        begin
        .macro  shift_and_add op, shift
        rr      \op, 0, 0, 0
        rr      \op, "5 + (3 << \shift)", 3, 5
        rr      \op, "0x12345678 - (1 << \shift)", -1, 0x12345678
        rr      \op, 1, 0x80000000, 1
        rr      \op, "((0x7fffffff << \shift) + 0x80000000) & 0xffffffff", 0x7fffffff, 0x80000000
        overlaps \op, "7 + (5 << \shift)", "5 + (5 << \shift)", 5, 7
        .endm
        shift_and_add sh1add, 1
        shift_and_add sh2add, 2
        shift_and_add sh3add, 3
        finish
