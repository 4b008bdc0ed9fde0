# Sv32 (privileged ISA manual 4.3): what each mode may do with a page, pages of 4 MiB, SUM, MXR and MPRV, faults with their
# addresses, accessed and dirty bits, and SFENCE.VMA.
#
# The code is in a page of 4 MiB at its own address for supervisor mode, and at 4 MiB for user mode; from PAGES on there are
# pages of 4 KiB by a table. Everything traps to machine mode.
        .include "start.inc"
        .include "traps.inc"
        .equ    USER_CODE, 0x400000 - BASE      # from one to the other
        .equ    PAGES, 0x800000
        .equ    LARGE, 0xc00000
        .equ    FUNCTION, BASE + 0xa000        # what is behind the pages, and the tables
        .equ    DATA, BASE + 0xb000
        .equ    MORE, BASE + 0xc000
        .equ    ROOT, BASE + 0xd000
        .equ    TABLE, BASE + 0xe000
        .equ    V, 1
        .equ    R, 2
        .equ    W, 4
        .equ    X, 8
        .equ    U, 16
        .equ    A_, 64
        .equ    D, 128
        .equ    AD, A_ | D
        .equ    SUM, 1 << 18
        .equ    MXR, 1 << 19

# An entry of a table, by address.
        .macro  entry at, to, flags
        li      x20, \at
        li      x21, (\to) >> 12 << 10 | \flags
        sw      x21, 0(x20)
        sfence.vma
        .endm
# The first page, at PAGES.
        .macro  page to, flags:vararg
        entry   TABLE, \to, \flags
        .endm
        .macro  set register, bits
        li      x20, \bits
        csrs    \register, x20
        .endm
        .macro  clear register, bits
        li      x20, \bits
        csrc    \register, x20
        .endm
# To another mode, where user mode sees the code elsewhere.
        .macro  go mode
        clear   mstatus, MPP
        set     mstatus, \mode << 11
        la      x26, 96f
        .if     \mode == 0
        li      x20, USER_CODE
        add     x26, x26, x20
        .endif
        csrw    mepc, x26
        mret
96:
        .endm
# This instruction executes in a mode, and a call after it.
        .macro  granted mode, insn:vararg
        case
        la      x27, 98f
        go      \mode
        \insn
        ecall
98:     expect  x28, 8 + \mode
        .endm
# It faults, at this address.
        .macro  refused mode, cause, address, insn:vararg
        case
        la      x27, 98f
        go      \mode
        \insn
        ecall
98:     expect  x28, \cause
        expect  x29, \address
        .endm
        .equ    FETCH, 12
        .equ    LOAD, 13
        .equ    STORE, 15

        begin
        li      x27, 0
        open_memory
        csrw    medeleg, x0
        csrw    mideleg, x0
        li      x20, ROOT               # no entries
        li      x21, TABLE + 0x1000
1:      sw      x0, 0(x20)
        addi    x20, x20, 4
        bne     x20, x21, 1b
        la      x20, function
        li      x21, FUNCTION
        lw      x22, 0(x20)
        sw      x22, 0(x21)
        lw      x22, 4(x20)
        sw      x22, 4(x21)
        li      x20, DATA
        li      x21, 0x11112222
        sw      x21, 0(x20)
        li      x20, MORE
        li      x21, 0x33334444
        sw      x21, 0(x20)
        fence.i
        entry   "ROOT + (BASE >> 20)", BASE, "V | R | W | X | AD"
        entry   ROOT + 4, BASE, "V | R | W | X | U | AD"
        entry   ROOT + 8, TABLE, V
        li      x20, 1 << 31 | ROOT >> 12
        csrw    satp, x20
        sfence.vma
        li      x8, PAGES
        li      x9, LARGE

# Translation is on, and machine mode is without it.
        case
        csrr    x10, satp
        expect  x10, 1 << 31 | ROOT >> 12
        li      x10, DATA
        lw      x10, 0(x10)
        expect  x10, 0x11112222
        page    DATA, V | R | W | AD
        granted 1, lw x10, 0(x8)
        expect  x10, 0x11112222
        li      x11, 0x55556666
        granted 1, sw x11, 4(x8)
        li      x10, DATA
        lw      x10, 4(x10)
        expect  x10, 0x55556666

# No page, and reserved ones: writable, but not readable.
        page    DATA, R | W | X | AD
        refused 1, LOAD, PAGES + 0x124, lw x10, 0x124(x8)
        refused 1, STORE, PAGES + 0x126, sh x10, 0x126(x8)
        refused 1, FETCH, PAGES, jalr x1, 0(x8)
        expect  x30, PAGES
        page    DATA, V | W | AD
        refused 1, LOAD, PAGES, lw x10, 0(x8)
        refused 1, STORE, PAGES, sw x10, 0(x8)
        page    FUNCTION, V | W | X | AD
        refused 1, FETCH, PAGES, jalr x1, 0(x8)
# No entry in the root either.
        refused 1, LOAD, LARGE + 3, lb x10, 3(x9)
        refused 1, STORE, LARGE + 2, sb x10, 2(x9)
        refused 1, FETCH, LARGE, jalr x1, 0(x9)

        .macro  conditional
        lr.w    x10, (x8)
        sc.w    x10, x0, (x8)
        .endm
# Rights, of pages of supervisor mode and of user mode.
        .macro  rights mode, user
        page    DATA, V | R | AD | \user
        granted \mode, lw x10, 0(x8)
        refused \mode, STORE, PAGES + 8, sw x10, 8(x8)
        page    FUNCTION, V | R | AD | \user
        refused \mode, FETCH, PAGES, jalr x1, 0(x8)
        page    DATA, V | R | W | AD | \user
        granted \mode, lbu x10, 0(x8)
        granted \mode, sw x10, 8(x8)
        page    FUNCTION, V | R | W | AD | \user
        refused \mode, FETCH, PAGES, jalr x1, 0(x8)
        page    FUNCTION, V | X | AD | \user
        li      x12, 0
        granted \mode, jalr x1, 0(x8)
        expect  x12, 1
        refused \mode, LOAD, PAGES, lw x10, 0(x8)
        refused \mode, STORE, PAGES + 8, sw x10, 8(x8)
        page    FUNCTION, V | R | X | AD | \user
        granted \mode, jalr x1, 0(x8)
        granted \mode, lw x10, 0(x8)
        refused \mode, STORE, PAGES + 8, sw x10, 8(x8)
        page    FUNCTION, V | R | W | X | AD | \user
        granted \mode, jalr x1, 0(x8)
        granted \mode, lw x10, 0(x8)
        granted \mode, sw x10, 8(x8)
        .if     AMO
        page    DATA, V | R | AD | \user
        granted \mode, lr.w x10, (x8)
        refused \mode, STORE, PAGES, amoadd.w x10, x0, (x8)
        refused \mode, STORE, PAGES, conditional
        page    FUNCTION, V | X | AD | \user
        refused \mode, LOAD, PAGES, lr.w x10, (x8)
        .if     !VIRT                   # where an AMO is a load first
        refused \mode, STORE, PAGES, amoadd.w x10, x0, (x8)
        .endif
        .endif
        .endm
        rights  1, 0
        rights  0, U

# Supervisor mode and pages of user mode: only with SUM, and never to execute.
        page    DATA, V | R | W | AD | U
        refused 1, LOAD, PAGES, lw x10, 0(x8)
        refused 1, STORE, PAGES, sw x10, 0(x8)
        set     mstatus, SUM
        granted 1, lw x10, 0(x8)
        granted 1, sw x10, 8(x8)
        page    FUNCTION, V | R | X | AD | U
        .if     !VEXRISCV               # for which SUM holds there too
        refused 1, FETCH, PAGES, jalr x1, 0(x8)
        .endif
        clear   mstatus, SUM
        refused 1, FETCH, PAGES, jalr x1, 0(x8)
# User mode and pages of supervisor mode: never.
        page    DATA, V | R | W | AD
        set     mstatus, SUM
        refused 0, LOAD, PAGES, lw x10, 0(x8)
        refused 0, STORE, PAGES, sw x10, 0(x8)
        page    FUNCTION, V | R | X | AD
        refused 0, FETCH, PAGES, jalr x1, 0(x8)
        clear   mstatus, SUM

# MXR: what can be executed can be read.
        page    FUNCTION, V | X | AD
        set     mstatus, MXR
        granted 1, lw x10, 0(x8)
        refused 1, STORE, PAGES, sw x10, 0(x8)
        clear   mstatus, MXR
        refused 1, LOAD, PAGES, lw x10, 0(x8)

# MPRV: machine mode's loads and stores are those of the mode in MPP; its fetches are not.
        .macro  borrowed mode, cause, insn:vararg
        case
        clear   mstatus, MPP
        la      x27, 98f
        set     mstatus, MPRV | \mode << 11
        \insn
        .if     \cause
        j       fail
98:     clear   mstatus, MPRV
        expect  x28, \cause
        expect  x29, PAGES
        .else
        clear   mstatus, MPRV
        j       97f
98:     j       fail
97:
        .endif
        .endm
        page    DATA, V | R | AD
        borrowed 1, 0, lw x10, 0(x8)
        expect  x10, 0x11112222
        borrowed 1, STORE, sw x10, 0(x8)
        .if     !VEXRISCV               # which does not ask whose page it is
        borrowed 0, LOAD, lw x10, 0(x8)
        page    DATA, V | R | AD | U
        borrowed 1, LOAD, lw x10, 0(x8)
        .endif
        page    DATA, V | R | W | AD | U
        borrowed 0, 0, lw x10, 0(x8)
        borrowed 0, 0, sw x10, 0(x8)
# With machine mode in MPP nothing is translated.
        case
        li      x10, DATA
        set     mstatus, MPRV | MPP
        lw      x11, 0(x10)
        clear   mstatus, MPRV
        expect  x11, 0x11112222

# Pages of 4 MiB: each address is its own; one whose address is no multiple is none.
        entry   ROOT + 12, BASE, "V | R | W | X | AD"
        li      x11, LARGE + DATA - BASE
        granted 1, lw x10, 0(x11)
        expect  x10, 0x11112222
        li      x11, LARGE + MORE - BASE
        granted 1, lw x10, 0(x11)
        expect  x10, 0x33334444
        li      x11, LARGE + FUNCTION - BASE
        li      x12, 0
        granted 1, jalr x1, 0(x11)
        expect  x12, 1
        entry   ROOT + 12, DATA, "V | R | W | X | AD"
        refused 1, LOAD, LARGE, lw x10, 0(x9)
        refused 1, STORE, LARGE, sw x10, 0(x9)
        refused 1, FETCH, LARGE, jalr x1, 0(x9)
        entry   ROOT + 12, BASE + 0x200000, "V | R | AD"
        refused 1, LOAD, LARGE, lw x10, 0(x9)
        .if     !VEXRISCV               # which walks on for ever
# A pointer in the last table.
        page    DATA, V
        refused 1, LOAD, PAGES, lw x10, 0(x8)
        refused 1, STORE, PAGES, sw x10, 0(x8)
        refused 1, FETCH, PAGES, jalr x1, 0(x8)
        .endif

# A page is changed, and the fence makes it seen: all, by address, and by address space.
        .macro  changed fence:vararg
        case
        page    DATA, V | R | AD
        la      x27, 98f
        go      1
        lw      x10, 0(x8)
        ecall
98:     li      x20, TABLE
        li      x21, MORE >> 12 << 10 | V | R | AD
        sw      x21, 0(x20)
        la      x27, 97f
        go      1
        \fence
        lw      x11, 0(x8)
        ecall
97:     expect  x10, 0x11112222
        expect  x11, 0x33334444
        .endm
        changed sfence.vma
        changed sfence.vma x8
        changed sfence.vma x0, x0
        changed sfence.vma x8, x0

# More pages than the core's entries: each is where the table says, again and again.
        case
        li      x10, 12
        li      x20, TABLE
        li      x21, DATA >> 12 << 10 | V | R | AD
        li      x22, MORE >> 12 << 10 | V | R | AD
1:      sw      x21, 0(x20)
        sw      x22, 4(x20)
        addi    x20, x20, 8
        addi    x10, x10, -2
        bnez    x10, 1b
        sfence.vma
        la      x27, 3f
        go      1
        li      x15, 0
        li      x14, 3
1:      addi    x10, x8, 0
        li      x13, 6
        lui     x20, 1
2:      lw      x11, 0(x10)
        add     x10, x10, x20
        lw      x12, 0(x10)
        add     x10, x10, x20
        sub     x12, x12, x11
        add     x15, x15, x12
        addi    x13, x13, -1
        bnez    x13, 2b
        addi    x14, x14, -1
        bnez    x14, 1b
        ecall
3:      expect  x28, 9
        expect  x15, (0x33334444 - 0x11112222) * 18 & 0xffffffff

        .if     MARKS_PAGES
# The core sets accessed and dirty bits: only for accesses that are allowed.
        .macro  marks want, at
        li      x20, \at
        lw      x21, 0(x20)
        andi    x21, x21, AD
        expect  x21, \want
        .endm
        page    DATA, V | R | W
        granted 1, nop
        marks   0, TABLE
        granted 1, lw x10, 0(x8)
        marks   A_, TABLE
        granted 1, sw x10, 0(x8)
        marks   AD, TABLE
        page    DATA, V | R | W
        granted 1, sw x10, 0(x8)
        marks   AD, TABLE
        page    DATA, V | R | W | A_
        granted 1, amoor.w x10, x0, (x8)
        marks   AD, TABLE
        page    DATA, V | R
        refused 1, STORE, PAGES, sw x10, 0(x8)
        marks   0, TABLE
        page    DATA, V | R | W | U
        refused 1, LOAD, PAGES, lw x10, 0(x8)
        marks   0, TABLE
        page    FUNCTION, V | X
        granted 1, jalr x1, 0(x8)
        marks   A_, TABLE
        entry   ROOT + 12, BASE, "V | R | W"
        granted 1, sw x10, 0x700(x9)
        marks   AD, ROOT + 12
        .endif

        .if     SPLITS
# An access that reaches into another page: each page counts, and the address is that of the part that faults.
        page    DATA, V | R | W | AD
        entry   TABLE + 4, MORE, 0
        addi    x11, x8, 0x7ff
        addi    x11, x11, 0x7ff
        refused 1, LOAD, PAGES + 0x1000, lw x10, 0(x11)
        refused 1, STORE, PAGES + 0x1000, sw x10, 0(x11)
        entry   TABLE + 4, MORE, "V | R | W | AD"
        li      x20, DATA + 0x1000
        sw      x0, 0(x20)
        li      x10, 0x12345678
        granted 1, sw x10, 0(x11)
        granted 1, lw x12, 0(x11)
        expect  x12, 0x12345678
        li      x20, MORE
        lhu     x12, 0(x20)
        expect  x12, 0x1234
        li      x12, 0x33334444
        sw      x12, 0(x20)
        .endif

        .if     COMPRESSED
# An instruction in two pages, of which the second is not to be executed.
        li      x20, FUNCTION + 0x1000
        li      x21, 0x00160613         # addi x12, x12, 1
        sh      x21, -2(x20)
        srli    x21, x21, 16
        li      x20, MORE
        sh      x21, 0(x20)
        li      x21, 0x8082             # ret
        sh      x21, 2(x20)
        fence.i
        page    FUNCTION, V | X | AD
        entry   TABLE + 4, MORE, "V | R | AD"
        li      x11, PAGES + 0xffe
        refused 1, FETCH, PAGES + 0x1000, jalr x1, 0(x11)
        expect  x30, PAGES + 0xffe
        entry   TABLE + 4, MORE, "V | X | AD"
        li      x12, 0
        granted 1, jalr x1, 0(x11)
        expect  x12, 1
        .endif

        .if     PMP
# A table that protection closes is an access that is refused, and not a page that is missing.
        page    DATA, V | R | W | AD
        li      x20, TABLE >> 2 | 0x1ff
        csrw    pmpaddr0, x20
        li      x20, -1
        csrw    pmpaddr1, x20
        li      x20, 0x1f18
        csrw    pmpcfg0, x20
        refused 1, 5, PAGES, lw x10, 0(x8)
        refused 1, 7, PAGES, sw x10, 0(x8)
        refused 1, 1, PAGES, jalr x1, 0(x8)
        open_memory
        granted 1, lw x10, 0(x8)
        .endif

# A fault that is delegated.
        case
        page    DATA, V | R | AD | U
        li      x20, 1 << STORE
        csrw    medeleg, x20
        la      x20, 1f
        csrw    stvec, x20
        la      x27, 2f
        go      0
3:      sw      x10, 0x14(x8)
        j       .
        .balign 4
1:      csrr    x11, scause
        csrr    x12, stval
        csrr    x13, sepc
        ecall
2:      expect  x28, 9
        expect  x11, STORE
        expect  x12, PAGES + 0x14
        li      x20, USER_CODE
        sub     x13, x13, x20
        expect_address x13, 3b
        csrw    medeleg, x0

# Without translation supervisor mode sees memory as it is.
        csrw    satp, x0
        sfence.vma
        li      x11, DATA
        granted 1, lw x10, 0(x11)
        expect  x10, 0x11112222

        expected_traps
        finish

        .balign 4
function: addi  x12, x12, 1
        jalr    x0, 0(x1)
