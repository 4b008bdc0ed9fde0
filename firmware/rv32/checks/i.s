# The base instruction set (unprivileged ISA manual, chapter 2). With E, of the registers that RV32E has.
        .include "start.inc"
        begin

# Registers: each holds its own value.
        case
        .macro  fill number
        li      x\number, 0x1111 * \number
        .endm
        .macro  full number
        expect  x\number, 0x1111 * \number
        .endm
        .irp    number, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        fill    \number
        .endr
        .if     !E
        .irp    number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        fill    \number
        .endr
        .irp    number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        full    \number
        .endr
        .endif
        .irp    number, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        full    \number
        .endr

# x0 takes nothing, neither from an operation, nor a load, nor a jump; and hands nothing on.
        case
        li      x10, -1
        addi    x0, x10, 0
        add     x11, x0, x0
        expect  x11, 0
        case
        la      x10, bytes
        lw      x0, 0(x10)
        or      x11, x0, x0
        expect  x11, 0
        case
        la      x10, 1f
        jalr    x0, 0(x10)
        j       fail
1:      or      x11, x0, x0
        expect  x11, 0
        case
        lui     x0, 0xfffff
        auipc   x0, 0xfffff
        or      x11, x0, x0
        expect  x11, 0

# LUI and AUIPC.
        .macro  upper immediate
        case
        lui     x10, \immediate
        expect  x10, "(\immediate << 12) & 0xffffffff"
        case
        auipc   x10, \immediate
        jal     x11, 98f
98:     sub     x10, x10, x11
        expect  x10, "((\immediate << 12) - 8) & 0xffffffff"
        .endm
        upper   0
        upper   1
        upper   0x7ffff
        upper   0x80000
        upper   0xfffff

# Arithmetic and logic with immediates.
        ri      addi, 0, 0, 0
        ri      addi, 3, 1, 2
        ri      addi, -2048, 0, -2048
        ri      addi, 2047, 0, 2047
        ri      addi, 0x80000000, 0x7fffffff, 1
        ri      addi, 0x7fffffff, 0x80000000, -1
        ri      addi, 0, -1, 1
        ri      slti, 1, -1, 0
        ri      slti, 0, 0, -1
        ri      slti, 0, 5, 5
        ri      slti, 1, 0x80000000, -2048
        ri      slti, 1, 2046, 2047
        ri      slti, 0, 0x7fffffff, 2047
        ri      sltiu, 1, 0, 1
        ri      sltiu, 0, 0, 0
        ri      sltiu, 1, 0x7fffffff, -2048
        ri      sltiu, 0, -1, -1
        ri      sltiu, 1, 0xfffffffe, -1
        ri      xori, 0xffffffff, 0, -1
        ri      xori, 0xff00f0f0, 0x00ff0f0f, -1
        ri      xori, 0x5a5a5d2d, 0x5a5a5a5a, 0x777
        ri      ori, 0xffffff0f, 0xff00ff00, -0xf1
        ri      ori, 0x123457ff, 0x12345678, 0x7ff
        ri      andi, 0xff00ff00, 0xff00ff00, -1
        ri      andi, 0x608, 0x12345678, 0x70f
        ri      andi, 0x12345000, 0x12345678, -2048

# Shifts.
        ri      slli, 1, 1, 0
        ri      slli, 0x80000000, 1, 31
        ri      slli, 0xfffffffe, -1, 1
        ri      slli, 0x0abcdef0, 0x90abcdef, 4
        ri      srli, 0xffffffff, -1, 0
        ri      srli, 1, 0x80000000, 31
        ri      srli, 0x7fffffff, -1, 1
        ri      srli, 0x090abcde, 0x90abcdef, 4
        ri      srai, 0xffffffff, -1, 0
        ri      srai, 0xffffffff, 0x80000000, 31
        ri      srai, 0, 0x7fffffff, 31
        ri      srai, 0xf90abcde, 0x90abcdef, 4
        rr      sll, 1, 1, 0
        rr      sll, 0x80000000, 1, 31
        rr      sll, 1, 1, 32
        rr      sll, 2, 1, 0xffffffe1
        rr      srl, 1, 0x80000000, 31
        rr      srl, 0x80000000, 0x80000000, 32
        rr      srl, 0x40000000, 0x80000000, 0xffffffe1
        rr      sra, 0xffffffff, 0x80000000, 31
        rr      sra, 0x80000000, 0x80000000, 32
        rr      sra, 0xc0000000, 0x80000000, 0xffffffe1
        rr      sra, 0x3fffffff, 0x7fffffff, 1

# Arithmetic and logic on registers.
        rr      add, 0, 0, 0
        rr      add, 0x80000000, 0x7fffffff, 1
        rr      add, 0, 0x80000000, 0x80000000
        rr      add, 0xfffffffe, -1, -1
        rr      sub, 0, 0, 0
        rr      sub, 0x7fffffff, 0x80000000, 1
        rr      sub, 0x80000000, 0, 0x80000000
        rr      sub, 0x80000001, 1, 0x80000000
        rr      slt, 1, -1, 0
        rr      slt, 0, 0, -1
        rr      slt, 1, 0x80000000, 0x7fffffff
        rr      slt, 0, 0x7fffffff, 0x80000000
        rr      slt, 0, 7, 7
        rr      sltu, 0, -1, 0
        rr      sltu, 1, 0, -1
        rr      sltu, 0, 0x80000000, 0x7fffffff
        rr      sltu, 1, 0x7fffffff, 0x80000000
        rr      sltu, 0, -1, -1
        rr      xor, 0x0ff00ff0, 0xff00ff00, 0xf0f0f0f0
        rr      or, 0xfff0fff0, 0xff00ff00, 0xf0f0f0f0
        rr      and, 0xf000f000, 0xff00ff00, 0xf0f0f0f0
        overlaps add, 12, 10, 5, 7
        overlaps sub, -2, 0, 5, 7
        overlaps sll, 0x280, 0xa0, 5, 7
        overlaps sltu, 1, 0, 5, 7
        overlaps xor, 2, 0, 5, 7

# Loads: each byte and half-word of a word, with sign and without; offsets of both signs.
        .macro  load op, want, offset
        case
        la      x10, bytes
        \op     x11, \offset(x10)
        expect  x11, \want
        case
        la      x10, bytes + 2048
        \op     x11, \offset - 2048(x10)
        expect  x11, \want
        case
        la      x10, bytes - 2040
        \op     x10, \offset + 2040(x10)
        expect  x10, \want
        .endm
        load    lb, 0x01, 0
        load    lb, 0xffffff82, 1
        load    lb, 0x73, 2
        load    lb, 0xfffffff4, 3
        load    lbu, 0x01, 0
        load    lbu, 0x82, 1
        load    lbu, 0x73, 2
        load    lbu, 0xf4, 3
        load    lh, 0xffff8201, 0
        load    lh, 0xfffff473, 2
        load    lh, 0x7e05, 4
        load    lhu, 0x8201, 0
        load    lhu, 0xf473, 2
        load    lhu, 0x7e05, 4
        load    lw, 0xf4738201, 0
        load    lw, 0x80017e05, 4

# Stores: what they change, and what they do not.
        .macro  store op, want, offset
        case
        la      x10, room
        li      x11, 0xa5a5a5a5
        li      x12, 0x12345678
        sw      x11, 0(x10)
        sw      x11, 4(x10)
        \op     x12, \offset(x10)
        lw      x13, (\offset & 4)(x10)
        lw      x14, (\offset & 4 ^ 4)(x10)
        expect  x13, \want
        expect  x14, 0xa5a5a5a5
        case
        la      x10, room - 2040
        sw      x11, \offset / 4 * 4 + 2040(x10)
        \op     x12, \offset + 2040(x10)
        lw      x13, \offset / 4 * 4 + 2040(x10)
        expect  x13, \want
        case
        la      x10, room + 2048
        sw      x11, \offset / 4 * 4 - 2048(x10)
        \op     x12, \offset - 2048(x10)
        lw      x13, \offset / 4 * 4 - 2048(x10)
        expect  x13, \want
        .endm
        store   sb, 0xa5a5a578, 0
        store   sb, 0xa5a578a5, 1
        store   sb, 0xa578a5a5, 2
        store   sb, 0x78a5a5a5, 3
        store   sb, 0xa578a5a5, 6
        store   sh, 0xa5a55678, 0
        store   sh, 0x5678a5a5, 2
        store   sh, 0x5678a5a5, 6
        store   sw, 0x12345678, 0
        store   sw, 0x12345678, 4

# A stored value is loaded by the next instruction, in every size.
        case
        la      x10, room
        li      x11, 0x8899aabb
        sw      x11, 0(x10)
        lb      x12, 3(x10)
        sb      x12, 4(x10)
        lhu     x13, 0(x10)
        sh      x13, 6(x10)
        lbu     x14, 4(x10)
        expect  x12, 0xffffff88
        expect  x13, 0xaabb
        expect  x14, 0x88
        lhu     x14, 6(x10)
        expect  x14, 0xaabb

# A loaded value is used by the next instruction: as an operand, as an address, to be stored, to be compared.
        case
        la      x10, pointer
        lw      x11, 0(x10)
        add     x12, x11, x11
        la      x13, bytes
        add     x13, x13, x13
        sub     x12, x12, x13
        expect  x12, 0
        case
        la      x10, pointer
        lw      x11, 0(x10)
        lw      x12, 4(x11)
        expect  x12, 0x80017e05
        case
        la      x10, pointer
        la      x13, room
        lw      x11, 0(x10)
        sw      x11, 0(x13)
        lw      x12, 0(x13)
        sub     x12, x12, x11
        expect  x12, 0
        case
        la      x10, pointer
        la      x13, bytes
        lw      x11, 0(x10)
        beq     x11, x13, 1f
        j       fail
1:

# Branches: taken, forwards and backwards; not taken.
        .macro  taken op, a, b
        case
        li      x10, \a
        li      x11, \b
        \op     x10, x11, 98f
        j       fail
97:     j       96f
98:     \op     x10, x11, 97b
        j       fail
96:
        .endm
        .macro  passed op, a, b
        case
        li      x10, \a
        li      x11, \b
        j       98f
97:     j       fail
98:     \op     x10, x11, 97b
        \op     x10, x11, 97b
        \op     x10, x11, 96f
        j       95f
96:     j       fail
95:
        .endm
        taken   beq, 0, 0
        taken   beq, -1, -1
        taken   beq, 0x80000000, 0x80000000
        passed  beq, 0, 1
        passed  beq, 0, 0x80000000
        passed  beq, 0x7fffffff, -1
        taken   bne, 0, 1
        taken   bne, 0, 0x80000000
        taken   bne, 0x7fffffff, -1
        passed  bne, 0, 0
        passed  bne, -1, -1
        taken   blt, -1, 0
        taken   blt, 0x80000000, 0x7fffffff
        taken   blt, 1, 2
        passed  blt, 0, 0
        passed  blt, 0, -1
        passed  blt, 0x7fffffff, 0x80000000
        taken   bge, 0, 0
        taken   bge, 0, -1
        taken   bge, 0x7fffffff, 0x80000000
        passed  bge, -1, 0
        passed  bge, 0x80000000, 0x7fffffff
        taken   bltu, 0, 1
        taken   bltu, 0, -1
        taken   bltu, 0x7fffffff, 0x80000000
        passed  bltu, -1, 0
        passed  bltu, 5, 5
        passed  bltu, 0x80000000, 0x7fffffff
        taken   bgeu, -1, 0
        taken   bgeu, 5, 5
        taken   bgeu, 0x80000000, 0x7fffffff
        passed  bgeu, 0, 1
        passed  bgeu, 0, -1
        passed  bgeu, 0x7fffffff, 0x80000000

# A computed value decides the next branch; a loop.
        case
        li      x10, 0
        li      x11, 10
1:      addi    x10, x10, 3
        addi    x11, x11, -1
        bnez    x11, 1b
        expect  x10, 30

# As far as a branch reaches, both ways; JAL further.
        case
        j       1f
2:      j       3f
        .skip   4088
1:      beq     x0, x0, 2b
        j       fail
3:      beq     x0, x0, 4f
        .skip   4088
        j       fail
4:
        case
        jal     x1, 6f
5:      j       7f
        .skip   9000
6:      la      x10, 5b
        sub     x10, x10, x1
        expect  x10, 0
        j       5b
7:

# JALR: the lowest bit of the target is cleared, the register may be the link too, offsets have signs.
        case
        la      x10, 1f
        jalr    x11, 0(x10)
1:      sub     x11, x11, x10
        expect  x11, 0
        case
        la      x10, 1f
        jalr    x11, 1(x10)
        j       fail
1:
        case
        la      x10, 1f + 1
        jalr    x11, 0(x10)
        j       fail
1:
        case
        la      x10, 1f + 1
        jalr    x11, -1(x10)
        j       fail
1:
        case
        la      x10, 1f
        addi    x12, x10, 4
        jalr    x10, 0(x10)
        j       fail
1:      j       2f
2:      la      x12, 1b - 4
        sub     x10, x10, x12
        expect  x10, 0
        case
        la      x10, 1f - 2047
        jalr    x11, 2047(x10)
        j       fail
1:
        case
        la      x10, 1f + 2048
        jalr    x11, -2048(x10)
        j       fail
1:
# A call and a return.
        case
        li      x10, 1
        jal     x1, double
        jal     x1, double
        expect  x10, 4
        j       1f
double: add     x10, x10, x10
        ret
1:

# FENCE is there, whatever it says.
        case
        la      x10, room
        li      x11, 0x13579bdf
        sw      x11, 0(x10)
        fence
        fence   w, r
        fence   io, io
        lw      x12, 0(x10)
        expect  x12, 0x13579bdf

        finish

        .balign 4
        .skip   2048
bytes:  .byte   0x01, 0x82, 0x73, 0xf4, 0x05, 0x7e, 0x01, 0x80
pointer: .word  bytes
room:   .skip   2056
