# FENCE.I (unprivileged ISA manual, chapter 3): what was stored is what is fetched.
#
# VexRiscv has fetched a few instructions after the fence when it executes it, and executes them as they were: programs there
# leave room.
        .include "start.inc"
        .macro  fence_code
        fence.i
        .if     VEXRISCV
        .rept   4
        nop
        .endr
        .endif
        .endm
        begin

# A function is written, called, written over and called again: also where its line is in the instruction cache.
        la      x8, written
        .irp    value, 1, 2, -3, 0x7ff
        case
        la      x9, 98f
        lw      x10, 0(x9)
        sw      x10, 0(x8)
        lw      x10, 4(x9)
        sw      x10, 4(x8)
        fence_code
        li      x12, 0
        jalr    x1, 0(x8)
        expect  x12, \value
        j       97f
        .balign 4
98:     addi    x12, x0, \value
        jalr    x0, 0(x1)
97:
        .endr

# The instruction right after the fence; by half-words, and by bytes.
        case
        la      x9, 1f
        la      x8, 2f
        lhu     x10, 0(x9)
        lhu     x11, 2(x9)
        sh      x11, 2(x8)
        sh      x10, 0(x8)
        fence_code
2:      addi    x12, x0, 5
        expect  x12, 6
        j       3f
1:      addi    x12, x0, 6
3:
        case
        la      x8, 2f
        li      x10, 0x70
        sb      x10, 3(x8)
        fence_code
2:      addi    x12, x0, 5
        expect  x12, 0x705

# A loop that changes what it does, as often as it goes round, in two lines of a cache at once.
        case
        li      x8, 5
        li      x12, 0
        la      x9, 2f
        la      x11, 3f
        lw      x13, 0(x9)
        li      x14, 0x00100000
1:      sw      x13, 0(x9)
        sw      x13, 0(x11)
        fence_code
2:      addi    x12, x12, 1
        j       3f
        .balign 64
3:      addi    x12, x12, 1
        add     x13, x13, x14
        addi    x8, x8, -1
        bnez    x8, 1b
        expect  x12, 30

# A change in a line that a data cache holds, dirty or not.
        case
        la      x8, written
        lw      x10, 0(x8)
        la      x9, 1f
        lw      x10, 0(x9)
        lw      x11, 4(x9)
        sw      x10, 0(x8)
        sw      x11, 4(x8)
        lw      x10, 0(x8)
        fence_code
        jalr    x1, 0(x8)
        expect  x12, 77
        j       2f
1:      addi    x12, x0, 77
        jalr    x0, 0(x1)
2:
        finish

        .balign 32
written: .skip  32
