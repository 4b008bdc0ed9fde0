# Zbs (bit manipulation manual): single bits, whose number counts by its lowest five bits.
        .include "start.inc"
        begin

        rr      bset, 1, 0, 0
        rr      bset, 0x80000000, 0, 31
        rr      bset, 1, 0, 32
        rr      bset, -1, -1, 17
        rr      bclr, 0, 1, 0
        rr      bclr, 0x7fffffff, -1, 31
        rr      bclr, 0x7fffffff, -1, -1
        rr      bclr, 0x12345678, 0x12345678, 0
        rr      binv, 0x12345679, 0x12345678, 0
        rr      binv, 0, 0x80000000, 31
        rr      binv, 0x12345668, 0x12345678, 36
        rr      bext, 0, 0x12345678, 0
        rr      bext, 1, 0x12345678, 3
        rr      bext, 1, 0x80000000, 31
        rr      bext, 1, 0x80000000, -1
        ri      bseti, 1, 0, 0
        ri      bseti, 0x80000000, 0, 31
        ri      bclri, 0, 1, 0
        ri      bclri, 0x7fffffff, -1, 31
        ri      binvi, 0x12345679, 0x12345678, 0
        ri      binvi, 0, 0x80000000, 31
        ri      bexti, 0, 0x7fffffff, 31
        ri      bexti, 1, 0x80000000, 31

        overlaps bset, 0x85, 0x25, 5, 7
        overlaps bext, 1, 0, 0x85, 7
        finish
