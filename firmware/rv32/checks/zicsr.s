# Instructions for control and status registers (unprivileged ISA manual, chapter 7): every form, with what it reads and writes;
# registers that are not there, or only to be read.
#
# VexRiscv lets a register that is only to be read be written by an instruction that reads it too, and ignores that; its small
# variants do not trap at all.
        .include "start.inc"
        .include "traps.inc"
        begin
        li      x27, 0

# A register that holds any address.
        .if     MSCRATCH
        .equ    HELD, 0x340
        .else
        .equ    HELD, 0x341
        .endif

# The value in the register, the new value by an instruction with x11 as its operand, and that the old value is read.
        .macro  form op, new, old, operand
        case
        li      x10, \old
        li      x11, \operand
        csrrw   x0, HELD, x10
        \op     x12, HELD, x11
        csrrs   x13, HELD, x0
        expect  x12, \old
        expect  x13, \new
        expect  x11, \operand
        .endm
        .macro  immediate op, new, old, operand
        case
        li      x10, \old
        csrrw   x0, HELD, x10
        \op     x12, HELD, \operand
        csrrs   x13, HELD, x0
        expect  x12, \old
        expect  x13, \new
        .endm
        form    csrrw, 0x12345678, 0, 0x12345678
        form    csrrw, 0, 0xfffffffc, 0
        form    csrrs, 0xfff0fff0, 0xff00ff00, 0xf0f0f0f0
        form    csrrs, 0xff00ff00, 0xff00ff00, 0
        form    csrrc, 0x0f000f00, 0xff00ff00, 0xf0f0f0f0
        form    csrrc, 0xff00ff00, 0xff00ff00, 0
        form    csrrc, 0, 0xff00ff00, 0xfffffffc
        immediate csrrwi, 0, 0x12345678, 0
        immediate csrrwi, 28, 0x12345678, 28
        immediate csrrsi, 0x12345678, 0x12345678, 0
        immediate csrrsi, 0x1234567c, 0x12345678, 0x1c
        immediate csrrci, 0x12345678, 0x12345678, 0
        immediate csrrci, 0x12345660, 0x12345678, 0x1c

# The same register on both sides, and no destination; x0 as what is written.
        case
        li      x10, 0x100
        csrw    HELD, x10
        li      x10, 0x230
        csrrw   x10, HELD, x10
        expect  x10, 0x100
        csrrs   x10, HELD, x10
        csrr    x11, HELD
        expect  x10, 0x230
        expect  x11, 0x330
        csrrc   x11, HELD, x11
        csrr    x12, HELD
        expect  x11, 0x330
        expect  x12, 0
        case
        li      x10, 0x440
        csrw    HELD, x10
        csrrw   x11, HELD, x0
        csrr    x12, HELD
        expect  x11, 0x440
        expect  x12, 0
        case
        li      x10, 0x550
        csrrw   x0, HELD, x10
        csrrs   x0, HELD, x10
        add     x11, x0, x0
        expect  x11, 0
        csrrc   x0, HELD, x10
        csrr    x11, HELD
        expect  x11, 0

# One after the other, with the value of the instruction before.
        case
        li      x10, 0x10
        csrw    HELD, x10
        csrrsi  x11, HELD, 4
        csrrsi  x12, HELD, 8
        csrrci  x13, HELD, 16
        addi    x14, x13, 0x100
        csrrw   x15, HELD, x14
        csrr    x16, HELD
        expect  x11, 0x10
        expect  x12, 0x14
        expect  x13, 0x1c
        expect  x15, 0x0c
        expect  x16, 0x11c

# Identity: only to be read.
        .equ    MVENDORID, 0xf11
        .equ    MHARTID, 0xf14
        legal   csrrs x10, MHARTID, x0
        expect  x10, 0
        legal   csrrc x10, MVENDORID, x0
        legal   csrrsi x10, MVENDORID, 0
        legal   csrrci x10, MVENDORID, 0
        li      x11, 0
        .if     IBEX | MANUAL
        illegal csrrw x0, MVENDORID, x0
        illegal csrrw x10, MVENDORID, x0
        illegal csrrwi x10, MVENDORID, 0
        .if     !VIRT                   # QEMU looks at the value
        illegal csrrs x10, MVENDORID, x11
        illegal csrrc x10, MVENDORID, x11
        .endif
        illegal csrrsi x10, MVENDORID, 1
        illegal csrrci x10, MVENDORID, 1
        .endif
        .if     VEXRISCV & CHECKS_CSRS
        illegal csrrw x0, MVENDORID, x11
        legal   csrrs x10, MVENDORID, x11
        legal   csrrw x10, MVENDORID, x11
        .endif

# Not there. An instruction that traps writes nothing.
        .irp    number, 0x5c0, 0x7b0, 0x800, 0x9c1, 0xcc5, 0xfc5
        li      x10, 0x123
        .if     CHECKS_CSRS
        illegal csrrs x10, \number, x0
        expect  x10, 0x123
        illegal csrrw x10, \number, x10
        expect  x10, 0x123
        illegal csrrw x0, \number, x10
        .else
        legal   csrrs x10, \number, x0
        expect  x10, 0
        .endif
        .endr

        .if     MANUAL & !VIRT          # QEMU has two
# No triggers.
        .irp    number, 0x7a0, 0x7a1
        li      x10, -1
        legal   csrrw x0, \number, x10
        legal   csrrs x10, \number, x0
        expect  x10, 0
        .endr
        .endif

        .if     IBEX | MANUAL
# misa says what there is: 32 bits, and at least I and M.
        case
        csrr    x10, misa
        srli    x11, x10, 30
        expect  x11, 1
        srli    x11, x10, 8
        andi    x11, x11, 0x11
        expect  x11, 0x11
        srli    x11, x10, 2
        andi    x11, x11, 1
        expect  x11, COMPRESSED
        srli    x11, x10, 18
        andi    x11, x11, 1
        expect  x11, SUPERVISOR
        srli    x11, x10, 20
        andi    x11, x11, 1
        expect  x11, USER
        .endif

        expected_traps
        finish
