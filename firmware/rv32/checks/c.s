# Compressed encodings (unprivileged ISA manual, chapter 16): each against what its full form does; wide instructions at the
# addresses that narrow ones leave them.
        .include "start.inc"
        begin

# One narrow instruction and its full form, on x8 and x9 with every pair of operands: both leave the same in both.
        .macro  both narrow, wide
        case
        la      x5, operands
98:     lw      x8, 0(x5)
        lw      x9, 4(x5)
        .option rvc
        \narrow
        .option norvc
        addi    x20, x8, 0
        addi    x21, x9, 0
        lw      x8, 0(x5)
        lw      x9, 4(x5)
        \wide
        sub     x20, x20, x8
        sub     x21, x21, x9
        or      x20, x20, x21
        expect  x20, 0
        addi    x5, x5, 8
        la      x6, operands_end
        bne     x5, x6, 98b
        .endm
        both    "c.addi x8, 1", "addi x8, x8, 1"
        both    "c.addi x8, -1", "addi x8, x8, -1"
        both    "c.addi x8, 31", "addi x8, x8, 31"
        both    "c.addi x8, -32", "addi x8, x8, -32"
        both    "c.li x8, 0", "addi x8, x0, 0"
        both    "c.li x8, 31", "addi x8, x0, 31"
        both    "c.li x8, -32", "addi x8, x0, -32"
        both    "c.lui x8, 1", "lui x8, 1"
        both    "c.lui x8, 31", "lui x8, 31"
        both    "c.lui x8, 0xfffe0", "lui x8, 0xfffe0"
        both    "c.lui x8, 0xfffff", "lui x8, 0xfffff"
        both    "c.andi x8, 0", "andi x8, x8, 0"
        both    "c.andi x8, 31", "andi x8, x8, 31"
        both    "c.andi x8, -32", "andi x8, x8, -32"
        both    "c.slli x8, 1", "slli x8, x8, 1"
        both    "c.slli x8, 31", "slli x8, x8, 31"
        both    "c.srli x8, 1", "srli x8, x8, 1"
        both    "c.srli x8, 31", "srli x8, x8, 31"
        both    "c.srai x8, 1", "srai x8, x8, 1"
        both    "c.srai x8, 31", "srai x8, x8, 31"
        both    "c.mv x8, x9", "add x8, x0, x9"
        both    "c.add x8, x9", "add x8, x8, x9"
        both    "c.add x8, x8", "add x8, x8, x8"
        both    "c.sub x8, x9", "sub x8, x8, x9"
        both    "c.sub x9, x9", "sub x9, x9, x9"
        both    "c.xor x8, x9", "xor x8, x8, x9"
        both    "c.or x8, x9", "or x8, x8, x9"
        both    "c.and x8, x9", "and x8, x8, x9"
        both    "c.nop", "nop"

# Registers beyond those that three bits name; the lowest and the highest of these.
        case
        li      x31, 5
        li      x16, 7
        .option rvc
        c.add   x31, x16
        c.mv    x17, x31
        c.slli  x17, 2
        c.li    x30, -3
        c.addi  x30, 1
        c.lui   x29, 3
        .option norvc
        expect  x31, 12
        expect  x17, 48
        expect  x30, -2
        expect  x29, 0x3000
        case
        li      x8, 0x80
        li      x15, 3
        .option rvc
        c.or    x8, x15
        c.sub   x15, x8
        .option norvc
        expect  x8, 0x83
        expect  x15, -0x80

# The stack pointer.
        .macro  stack want, insn
        case
        li      x2, 0x5000
        .option rvc
        \insn
        .option norvc
        sub     x2, x2, x8
        expect  x2, \want
        .endm
        li      x8, 0
        stack   0x5010, "c.addi16sp sp, 16"
        stack   0x51f0, "c.addi16sp sp, 496"
        stack   0x4e00, "c.addi16sp sp, -512"
        stack   -4, "c.addi4spn x8, sp, 4"
        stack   -1020, "c.addi4spn x8, sp, 1020"
        stack   -0x154, "c.addi4spn x8, sp, 0x154"

# Loads and stores: each bit of the offset.
        .irp    offset, 0, 4, 8, 16, 32, 64, 124
        case
        la      x8, room
        li      x9, 0x5a000000 + \offset
        .option rvc
        c.sw    x9, \offset(x8)
        .option norvc
        lw      x10, \offset(x8)
        expect  x10, 0x5a000000 + \offset
        xori    x10, x10, -1
        sw      x10, \offset(x8)
        .option rvc
        c.lw    x15, \offset(x8)
        .option norvc
        expect  x15, 0xa5ffffff - \offset
        .endr
        .irp    offset, 0, 4, 8, 16, 32, 64, 128, 252
        case
        la      x2, room
        li      x19, 0x3c000000 + \offset
        .option rvc
        c.swsp  x19, \offset(sp)
        .option norvc
        lw      x10, \offset(x2)
        expect  x10, 0x3c000000 + \offset
        xori    x10, x10, -1
        sw      x10, \offset(x2)
        .option rvc
        c.lwsp  x20, \offset(sp)
        .option norvc
        expect  x20, 0xc3ffffff - \offset
        .endr

# Branches and jumps, both ways, and the link after two bytes.
        .macro  branch op, takes, other
        case
        li      x8, \takes
        .option rvc
        \op     x8, 98f
        .option norvc
        j       fail
97:     j       96f
        .option rvc
        c.nop
98:     \op     x8, 97b
        .option norvc
        j       fail
96:     li      x8, \other
        .option rvc
        \op     x8, 95f
        \op     x8, 95f
        c.j     94f
        .option norvc
95:     j       fail
94:
        .endm
        branch  c.beqz, 0, 1
        branch  c.beqz, 0, 0x80000000
        branch  c.bnez, 1, 0
        branch  c.bnez, 0x80000000, 0
        case
        .option rvc
        c.j     1f
2:      c.j     3f
        .skip   2042
1:      c.j     2b
        .option norvc
3:
        .option rvc
        case
        c.jal   1f
2:      c.j     3f
        c.nop
1:      .option norvc
        la      x9, 2b
        sub     x9, x9, x1
        expect  x9, 0
        j       2b
3:
        case
        la      x9, 1f
        .option rvc
        c.jalr  x9
2:      c.j     3f
        c.nop
1:      c.mv    x10, x1
        c.jr    x1
3:      .option norvc
        la      x9, 2b
        sub     x10, x10, x9
        expect  x10, 0
        case
        la      x1, 1f
        .option rvc
        c.jalr  x1                      # the register of the link is the one of the target
2:      c.j     3f
1:      c.jr    x1
3:      .option norvc
        la      x9, 2b
        sub     x1, x1, x9
        expect  x1, 0
        case
        la      x9, 1f + 1
        .option rvc
        c.jr    x9                      # an odd target: its lowest bit is cleared
        c.nop
        .option norvc
        j       fail
1:

# Hints do nothing: results for x0, shifts by nothing.
        case
        li      x8, 0x12345678
        .half   0x0005, 0x4015, 0x6005  # c.addi x0,1; c.li x0,5; c.lui x0,1
        .half   0x8022, 0x9022, 0x0006  # c.mv x0,x8; c.add x0,x8; c.slli x0,1
        .half   0x0402, 0x8001, 0x8401  # c.slli x8,0; c.srli x8,0; c.srai x8,0
        .half   0x0401                  # c.addi x8,0
        add     x9, x0, x0
        expect  x9, 0
        expect  x8, 0x12345678

# Wide instructions two bytes in front of the end of a line, a larger one, and a page: run into and jumped to; one that computes, a
# load, a branch, a jump, a multiplication where there is one.
        .macro  straddle size, insn:vararg
        case
        la      x8, word
        li      x9, 21
        li      x10, 0
        j       98f
        .balign \size
        .skip   \size - 4
        .option rvc
98:     c.nop
97:     .option norvc
        \insn
        expect  x9, 42
        case
        la      x8, word
        li      x9, 21
        la      x11, 97b
        beqz    x10, 98f
        j       96f
98:     li      x10, 1
        jalr    x0, 0(x11)
96:
        .endm
        .irp    size, 8, 32, 64
        straddle \size, add x9, x9, x9
        straddle \size, lw x9, 0(x8)
        straddle \size, slli x9, x9, 1
        .endr
        straddle 4096, addi x9, x9, 21

        .macro  straddling_jump size, insn:vararg
        case
        li      x9, 21
        j       98f
        .balign \size
        .skip   \size - 4
        .option rvc
98:     c.nop
        .option norvc
        \insn
        j       fail
        j       fail
        .option rvc
        c.nop
97:     c.nop
        .option norvc
        .endm
        .irp    size, 8, 32, 64
        straddling_jump \size, jal x1, 97f
        straddling_jump \size, beq x9, x9, 97f
        straddling_jump \size, bne x9, x0, 97f
        .endr

# A loop whose first instruction lies in two lines, and its last does too.
        case
        li      x9, 0
        li      x10, 9
        j       1f
        .balign 64
        .skip   62
1:      addi    x9, x9, 2
        .option rvc
        .rept   14
        c.nop
        .endr
        .option norvc
        addi    x10, x10, -1
        .option rvc
        .rept   13
        c.nop
        .endr
        .option norvc
        bnez    x10, 1b
        expect  x9, 18

        finish

        .balign 4
operands:
        .irp    a, 0, 1, -1, 0x80000000, 0x7fffffff, 0x12345678
        .irp    b, 0, 1, -1, 0x80000000, 0x7fffffff, 0x9abcdef0
        .word   \a, \b
        .endr
        .endr
operands_end:
word:   .word   42
        .balign 4
room:   .skip   256
