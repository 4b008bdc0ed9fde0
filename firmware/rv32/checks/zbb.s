# Zbb (bit manipulation manual): inverted operands, counts, extremes, extensions, rotations, bytes.
        .include "start.inc"
        begin

        rr      andn, 0x0f000f00, 0xff00ff00, 0xf0f0f0f0
        rr      andn, 0, -1, -1
        rr      orn, 0xff0fff0f, 0xff00ff00, 0xf0f0f0f0
        rr      orn, -1, 0, 0
        rr      xnor, 0xf00ff00f, 0xff00ff00, 0xf0f0f0f0
        rr      xnor, -1, 0x12345678, 0x12345678

        unary   clz, 32, 0
        unary   clz, 31, 1
        unary   clz, 0, 0x80000000
        unary   clz, 0, -1
        unary   clz, 15, 0x0001ffff
        unary   ctz, 32, 0
        unary   ctz, 0, 1
        unary   ctz, 31, 0x80000000
        unary   ctz, 0, -1
        unary   ctz, 17, 0xfffe0000
        unary   cpop, 0, 0
        unary   cpop, 32, -1
        unary   cpop, 1, 0x80000000
        unary   cpop, 13, 0x12345678

        rr      max, 1, -1, 1
        rr      max, 0x7fffffff, 0x7fffffff, 0x80000000
        rr      max, 4, 4, 4
        rr      maxu, -1, -1, 1
        rr      maxu, 0x80000000, 0x7fffffff, 0x80000000
        rr      min, -1, -1, 1
        rr      min, 0x80000000, 0x7fffffff, 0x80000000
        rr      minu, 1, -1, 1
        rr      minu, 0x7fffffff, 0x7fffffff, 0x80000000

        unary   sext.b, 0x7f, 0x1234567f
        unary   sext.b, 0xffffff80, 0x12345680
        unary   sext.h, 0x7fff, 0x12347fff
        unary   sext.h, 0xffff8000, 0x12348000
        unary   zext.h, 0, 0x12340000
        unary   zext.h, 0xffff, -1

        rr      rol, 0x12345678, 0x12345678, 0
        rr      rol, 0x23456781, 0x12345678, 4
        rr      rol, 0x00000001, 0x80000000, 1
        rr      rol, 0x12345678, 0x12345678, 32
        rr      rol, 0x091a2b3c, 0x12345678, -1
        rr      ror, 0x81234567, 0x12345678, 4
        rr      ror, 0x80000000, 0x00000001, 1
        rr      ror, 0x12345678, 0x12345678, 32
        rr      ror, 0x2468acf0, 0x12345678, -1
        ri      rori, 0x12345678, 0x12345678, 0
        ri      rori, 0x56781234, 0x12345678, 16
        ri      rori, 0x00000002, 0x00000001, 31

        unary   orc.b, 0, 0
        unary   orc.b, -1, 0x01800240
        unary   orc.b, 0xff00ff00, 0x01000200
        unary   rev8, 0x78563412, 0x12345678
        unary   rev8, 0x80, 0x80000000

        overlaps andn, 8, 0, 12, 7
        overlaps rol, 0x280, 0xa0, 5, 7
        overlaps max, 7, 5, 5, 7
        finish
