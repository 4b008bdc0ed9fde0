# Traps to machine mode (privileged ISA manual 3.1.6 to 3.1.16, 3.3): every exception with mcause, mtval and mepc, interrupts with
# their order and their table, what mstatus keeps of it, and user mode.
        .include "start.inc"
        .include "traps.inc"
        begin
        li      x27, 0
        open_memory

# Calls and breakpoints. VexRiscv shows the instruction; its EBREAK is an illegal instruction.
        traps   11, ecall
        expect  x29, 0x73 * TELLS_CALLS
        .if     BREAKPOINTS
        traps   3, ebreak
        .if     MANUAL & !VIRT
        expect_address x29, 97b
        .elseif VEXRISCV
        expect  x29, 0x100073
        .else                           # which is allowed as well
        expect  x29, 0
        .endif
        .else
        illegal ebreak
        .endif

# No instruction at all: of another length, of no major opcode, and holes in those that there are.
        illegal .word 0xffffffff
        illegal .word 0x0000007f
        illegal .word 0x0000707b
        illegal .word 0x00002063        # branches, loads and stores of no kind
        illegal .word 0x00003063
        illegal .word 0x00003003
        illegal .word 0x00007003
        illegal .word 0x00003023
        illegal .word 0x00007023
        illegal .word 0x40001033        # SLL and AND with the bit of SUB
        .if     !ZBB
        illegal .word 0x40007033
        .endif
        illegal .word 0x80000033
        illegal .word 0x42001013        # SLLI with the bit of SRAI
        .if     VEXRISCV                # which has LWU, and shifts by 32 and more without their highest bit
        case
        la      x8, word
        li      x11, 0x123
        .word   0x00046503              # lwu x10, 0(x8)
        .word   0x02159593              # slli x11, x11, 33
        expect  x10, 0x84838281
        expect  x11, 0x246
        .if     DATA_CACHE              # which can be emptied
        legal   .word 0x0000500f
        .else
        illegal .word 0x0000500f
        .endif
        .else
        illegal .word 0x0000500f
        illegal .word 0x00006003
        illegal .word 0x02001013
        illegal .word 0x02005013
        illegal .word 0x42005013
        .endif
        illegal .word 0x00004073        # of the system, with no function
        illegal .word 0x00300073
        .if     !M
        illegal .word 0x02000033
        .endif
        .if     !A
        illegal .word 0x1000252f
        .endif
        .if     !AMO
        illegal .word 0x0000252f
        .endif
        .if     !SUPERVISOR & !VEXRISCV # where it jumps nowhere
        illegal sret
        .endif

# Loads and stores at addresses that are no multiples of their size: nothing is written. Or they are made nevertheless.
        .macro  misaligned op, offset, load
        .if     SPLITS
        .if     \load
        legal   \op x11, \offset(x8)
        .else
        case
        li      x11, 0x12345678
        \op     x11, \offset(x9)
        .endif
        .else
        li      x11, 0x77
        .if     \load
        traps   4, \op x11, \offset(x8)
        .else
        traps   6, \op x11, \offset(x8)
        .endif
        expect_address x29, word + \offset
        expect  x11, 0x77
        lw      x12, 0(x8)
        expect  x12, 0x84838281
        lw      x12, 4(x8)
        expect  x12, 0x88878685
        .endif
        .endm
        la      x8, word
        la      x9, room
        misaligned lw, 1, 1
        .if     SPLITS
        expect  x11, 0x85848382
        .endif
        misaligned lw, 2, 1
        .if     SPLITS
        expect  x11, 0x86858483
        .endif
        misaligned lw, 3, 1
        .if     SPLITS
        expect  x11, 0x87868584
        .endif
        misaligned lh, 1, 1
        .if     SPLITS
        expect  x11, 0xffff8382
        .endif
        misaligned lhu, 3, 1
        .if     SPLITS
        expect  x11, 0x8584
        .endif
        misaligned sw, 1, 0
        misaligned sw, 2, 0
        misaligned sw, 3, 0
        .if     SPLITS
        lw      x12, 0(x9)
        expect  x12, 0x78787800
        lw      x12, 4(x9)
        expect  x12, 0x00123456
        .endif
        misaligned sh, 1, 0
        misaligned sh, 3, 0
        .if     SPLITS
        lw      x12, 0(x9)
        expect  x12, 0x78567800
        lw      x12, 4(x9)
        expect  x12, 0x00123456
        .endif
        .if     A
        addi    x10, x8, 2
        traps   4, lr.w x11, (x10)
        expect_address x29, word + 2
        .if     !VIRT                   # where SC only fails, without a reservation
        traps   6, sc.w x11, x12, (x10)
        expect_address x29, word + 2
        .endif
        .endif
        .if     AMO & !VIRT             # and an AMO is a load first
        traps   6, amoadd.w x11, x12, (x10)
        expect_address x29, word + 2
        .endif

# A jump to an address that no instruction can have is its own exception; where there are compressed instructions, none is.
        .if     !COMPRESSED
        la      x10, 96f + 2
        li      x1, 0x55
        traps   0, jalr x1, 0(x10)
96:     expect_address x29, 96b + 2
        expect  x1, 0x55
        traps   0, .word 0x002000ef     # jal x1, 2
        expect  x1, 0x55
        traps   0, .word 0x00000163     # beq x0, x0, 2
        legal   .word 0x00001163        # bne x0, x0, 2
        .endif

# Nothing there to fetch from.
        .if     REFUSES_FETCH
        case
        li      x10, 0xe0000000
        la      x27, 1f
        jalr    x1, 0(x10)
        j       fail
1:      expect  x28, 1
        expect  x29, 0xe0000000
        expect  x30, 0xe0000000
        .endif

# mepc and mret.
        case
        la      x10, 1f
        csrw    mepc, x10
        li      x10, MPP
        csrs    mstatus, x10
        mret
        j       fail
1:
# MRET takes MPIE for MIE, sets MPIE, and leaves the lowest mode in MPP.
        .macro  returns mie, mpie
        case
        li      x10, MIE | MPIE
        csrc    mstatus, x10
        li      x10, MPP | \mie * MIE | \mpie * MPIE
        csrs    mstatus, x10
        la      x10, 98f
        csrw    mepc, x10
        mret
98:     csrr    x11, mstatus
        csrci   mstatus, MIE
        li      x12, MIE | MPIE | MPP
        and     x11, x11, x12
        expect  x11, \mpie * MIE | MPIE
        .endm
        returns 0, 0
        returns 0, 1
        returns 1, 0
        returns 1, 1
# A trap keeps MIE in MPIE, and the mode in MPP.
        .macro  keeps mie, mpie
        li      x10, MIE | MPIE
        csrc    mstatus, x10
        li      x10, \mie * MIE | \mpie * MPIE
        csrs    mstatus, x10
        traps   11, ecall
        li      x12, MIE | MPIE | MPP
        and     x11, x31, x12
        expect  x11, \mie * MPIE | MPP
        .endm
        keeps   0, 0
        keeps   0, 1
        keeps   1, 0
        keeps   1, 1

# Interrupts. Their lines are ports, or those of CLINT, PLIC and a UART that is ready to send; what an interrupt's handler does here is
# to lower them all.
        .equ    TIMER, 7
        .equ    SOFTWARE, 3
        .equ    EXTERNAL, 11
        .macro  wait
        .rept   8
        nop
        .endr
        .endm
        .macro  store at, value
        li      x20, \at
        li      x21, \value
        sw      x21, 0(x20)
        .endm
        .macro  drive line, level
        .if     VIRT
        .if     \line == TIMER
        store   0x02004004, \level - 1
        store   0x02004000, \level - 1
        .elseif \line == SOFTWARE
        store   0x02000000, \level
        .else
        store   0x0c000028, \level      # the priority of the UART
        .endif
        .elseif \line == TIMER
        store   0xfff00004, \level
        .elseif \line == SOFTWARE
        store   0xfff00008, \level
        .else
        store   0xfff0000c, \level
        .endif
        .endm
        .macro  lower
        drive   TIMER, 0
        drive   SOFTWARE, 0
        drive   EXTERNAL, 0
        wait
        .endm
        .macro  raise line
        drive   \line, 1
        wait
        .endm
        .macro  lowered line
        drive   \line, 0
        wait
        .endm
        .if     VIRT
        store   0x0c002000, 1 << 10     # the PLIC hears the UART
        li      x20, 0x10000001         # the UART tells when it can send
        li      x21, 2
        sb      x21, 0(x20)
        .endif
        lower
        li      x10, -1
        .if     VEXRISCV
        csrw    0xbc0, x10              # its mask of external interrupts
        .endif
        csrw    mie, x0
        csrci   mstatus, MIE

        .macro  interrupt line
# Pending, but not enabled by itself, or not by mstatus.
        case
        raise   \line
        csrr    x11, mip
        expect  x11, 1 << \line
        csrsi   mstatus, MIE
        wait
        csrci   mstatus, MIE
        li      x10, 1 << \line
        csrw    mie, x10
        wait
# Who waits for it goes on.
        wfi
# Enabled: it is taken in front of one of the next instructions, and MRET goes on there.
        case
        li      x22, 0
        la      x27, 98f
        csrsi   mstatus, MIE
        .rept   8
        addi    x22, x22, 1
        .endr
        j       97f
98:     expect  x28, 0x80000000 | \line
        li      x12, MIE | MPIE | MPP
        and     x11, x31, x12
        expect  x11, MPIE | MPP
        lower
        csrr    x11, mip
        expect  x11, 0
        csrw    mepc, x30
        mret
97:     csrci   mstatus, MIE
        expect  x27, 0
        expect  x22, 8
        csrw    mie, x0
        .endm
        interrupt TIMER
        interrupt SOFTWARE
        interrupt EXTERNAL

# All at once: external, software, timer.
        .macro  taken line
        la      x27, 98f
        csrsi   mstatus, MIE
        wait
        j       fail
98:     expect  x28, 0x80000000 | \line
        .endm
        .if     !VIRT                   # where the lowest number comes first
        case
        raise   TIMER
        raise   SOFTWARE
        raise   EXTERNAL
        li      x10, 1 << 3 | 1 << 7 | 1 << 11
        csrw    mie, x10
        taken   EXTERNAL
        lowered EXTERNAL
        taken   SOFTWARE
        lowered SOFTWARE
        taken   TIMER
        lowered TIMER
        csrw    mie, x0
        .endif

# The table of handlers: an interrupt enters at its number, an exception at the beginning.
        .macro  entered number
        expect_address x25, table + 4 * \number + 4
        .endm
        .macro  enters line
        case
        li      x10, 1 << \line
        csrw    mie, x10
        taken   \line
        lower
        csrw    mie, x0
        .endm
        .if     VECTORED
        la      x10, table + 1
        csrw    mtvec, x10
        raise   TIMER
        enters  TIMER
        entered TIMER
        raise   SOFTWARE
        enters  SOFTWARE
        entered SOFTWARE
        raise   EXTERNAL
        enters  EXTERNAL
        entered EXTERNAL
        traps   11, ecall
        entered 0
        .endif
        .if     !IBEX                   # which has nothing but the table
        la      x10, table
        csrw    mtvec, x10
        raise   TIMER
        enters  TIMER
        entered 0
        traps   11, ecall
        entered 0
        .endif
        la      x10, vectors
        csrw    mtvec, x10

        .if     USER
# User mode: calls, what only machine mode may do, and interrupts, which it cannot keep away.
        traps_in 0, 8, ecall
        expect  x29, 0x73 * TELLS_CALLS
        traps_in 0, 2, mret
        traps_in 0, 2, csrr x10, mstatus
        traps_in 0, 2, csrw mepc, x0
        traps_in 0, 2, .word 0xffffffff
        expect  x29, 0xffffffff
        .if     BREAKPOINTS
        traps_in 0, 3, ebreak
        .endif
        .if     !SPLITS
        la      x8, word
        traps_in 0, 4, lw x11, 1(x8)
        expect_address x29, word + 1
        .endif
        case
        raise   TIMER
        li      x10, 1 << 7
        csrw    mie, x10
        csrci   mstatus, MIE
        li      x10, MPIE
        csrc    mstatus, x10
        la      x27, 1f
        enter   0
        wait
        j       fail
1:      expect  x28, 0x80000007
        li      x12, MIE | MPIE | MPP
        and     x11, x31, x12
        expect  x11, 0
        csrw    mie, x0
        lower
        .endif
        .if     USER & !VEXRISCV
# TW makes WFI illegal there; MRET to user mode clears MPRV.
        li      x10, 1 << 21
        csrs    mstatus, x10
        traps_in 0, 2, wfi
        li      x10, 1 << 21
        csrc    mstatus, x10
        .if     !VIRT                   # where MRET leaves it
        li      x10, MPRV
        csrs    mstatus, x10
        traps_in 0, 8, ecall
        csrr    x10, mstatus
        li      x11, MPRV
        and     x10, x10, x11
        expect  x10, 0
        .endif
        .endif
        .if     USER & USER_COUNTERS & MANUAL
# mcounteren hides the counters, each by its bit.
        .macro  counter number, name
        li      x10, 7
        csrc    mcounteren, x10
        traps_in 0, 2, csrr x10, \name
        li      x10, 1 << \number
        csrs    mcounteren, x10
        .if     SUPERVISOR
        csrs    scounteren, x10
        .endif
        legal_in 0, csrr x10, \name
        .endm
        counter 0, cycle
        counter 1, time
        counter 2, instret
        .endif

        expected_traps
        finish

        .balign 256
table:
        .rept   16
        jal     x25, trap
        .endr
word:   .byte   0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88
room:   .word   0, 0
