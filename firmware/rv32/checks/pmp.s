# Physical memory protection (privileged ISA manual 3.7), on pages of data that user mode has no other right to.
#
# VexRiscv's is another: a region is a quarter of what its pmpaddr says, 256 bytes at least, and a power of two; regions have no
# order, each that matches can grant; what is in no region is closed to user mode all the same.
        .include "start.inc"
        .include "traps.inc"
        .equ    DATA, BASE + 0x8000
        .equ    R, 1
        .equ    W, 2
        .equ    X, 4
        .equ    TOR, 1 << 3
        .equ    NA4, 2 << 3
        .equ    NAPOT, 3 << 3
        .equ    LOCKED, 1 << 7
        .equ    FETCH, 1
        .equ    LOAD, 5
        .equ    STORE, 7

        .macro  write register, value
        li      x20, \value
        csrw    \register, x20
        .if     SUPERVISOR              # where translation may remember it
        sfence.vma
        .endif
        .endm
# A power of two of bytes, at a multiple of four times as much.
        .macro  region number, base, size
        .if     VEXRISCV
        write   pmpaddr\number, (\base) >> 2 | ((\size) >> 1) - 1
        .else
        write   pmpaddr\number, (\base) >> 2 | ((\size) >> 3) - 1
        .endif
        .endm
# In user mode, this instruction is refused; mtval is the address.
        .macro  refused cause, address, insn:vararg
        traps_in 0, \cause, \insn
        expect  x29, \address
        .endm
        .macro  granted insn:vararg
        legal_in 0, \insn
        .endm
        .macro  no_fetch address
        case
        li      x11, \address
        la      x27, 98f
        enter   0
        jalr    x1, 0(x11)
        ecall
98:     expect  x28, FETCH
        expect  x29, \address
        expect  x30, \address
        .endm
        .macro  fetch address
        case
        li      x11, \address
        li      x12, 0
        la      x27, 98f
        enter   0
        jalr    x1, 0(x11)
        ecall
98:     expect  x28, 8
        expect  x12, 1
        .endm
        .macro  function address
        la      x20, add_one
        li      x21, \address
        lw      x22, 0(x20)
        sw      x22, 0(x21)
        lw      x22, 4(x20)
        sw      x22, 4(x21)
        .endm

        begin
        li      x27, 0
        li      x8, DATA
        function DATA
        function DATA + 0x800
        function DATA + 0x1000
        function DATA + 0x4000
        fence.i
        li      x10, 0x11112222
        sw      x10, 0x10(x8)

# Registers hold what is written; four regions to a register.
        case
        write   pmpaddr2, 0x2aaaaaaa
        write   pmpaddr3, 0x15555555
        csrr    x10, pmpaddr2
        csrr    x11, pmpaddr3
        expect  x10, 0x2aaaaaaa
        expect  x11, 0x15555555
        case
        write   pmpcfg0, 0x1b190000
        csrr    x10, pmpcfg0
        expect  x10, 0x1b190000
        write   pmpcfg0, 0
        .if     !VEXRISCV & !VIRT       # which keep everything
        case
        write   pmpcfg0, 0x60           # bits that are not there; writable but not readable
        csrr    x10, pmpcfg0
        expect  x10, 0
        .endif

# Without any region user mode cannot even be fetched for; machine mode is free.
        .if     !VIRT                   # where there is no protection then
        case
        la      x27, 1f
        enter   0
2:      nop
1:      expect  x28, FETCH
        expect_address x30, 2b
        expect_address x29, 2b
        lw      x10, 0x10(x8)
        expect  x10, 0x11112222
        .endif

# From now on region 7 is the code. The data is in none.
        region  7, BASE, 0x8000
        write   pmpcfg1, (NAPOT | R | W | X) << 24
        granted nop
        refused LOAD, DATA, lw x10, 0(x8)
        refused STORE, DATA + 1, sb x10, 1(x8)
        no_fetch DATA

# Rights.
        region  0, DATA, 0x1000
        write   pmpcfg0, NAPOT
        refused LOAD, DATA + 0x10, lw x10, 0x10(x8)
        refused STORE, DATA + 0x10, sw x10, 0x10(x8)
        no_fetch DATA
        write   pmpcfg0, NAPOT | R
        granted lw x10, 0x10(x8)
        expect  x10, 0x11112222
        granted lbu x10, 0x13(x8)
        expect  x10, 0x11
        refused STORE, DATA + 0x10, sw x0, 0x10(x8)
        refused STORE, DATA + 0x11, sb x0, 0x11(x8)
        no_fetch DATA
        lw      x10, 0x10(x8)
        expect  x10, 0x11112222
        write   pmpcfg0, NAPOT | R | W
        granted lh x10, 0x12(x8)
        granted sw x8, 0x14(x8)
        no_fetch DATA
        lw      x10, 0x14(x8)
        expect  x10, DATA
        write   pmpcfg0, NAPOT | X
        fetch   DATA
        refused LOAD, DATA, lw x10, 0(x8)
        refused STORE, DATA + 0x10, sh x0, 0x10(x8)
        write   pmpcfg0, NAPOT | R | X
        fetch   DATA
        granted lw x10, 0(x8)
        refused STORE, DATA + 0x10, sw x0, 0x10(x8)
        write   pmpcfg0, NAPOT | R | W | X
        fetch   DATA
        granted lw x10, 0(x8)
        granted sw x0, 0x18(x8)
        .if     AMO
        addi    x9, x8, 0x10
        write   pmpcfg0, NAPOT | R
        granted lr.w x10, (x9)
        refused STORE, DATA + 0x10, amoadd.w x10, x0, (x9)
        write   pmpcfg0, NAPOT | X
        refused LOAD, DATA + 0x10, lr.w x10, (x9)
        .if     !VIRT                   # where an AMO is a load first
        refused STORE, DATA + 0x10, amoswap.w x10, x0, (x9)
        .endif
        write   pmpcfg0, NAPOT | R | W
        granted amoadd.w x10, x0, (x9)
        .endif

# Where a region begins and ends.
        li      x9, DATA + 0x1000
        write   pmpcfg0, NAPOT | R
        granted lw x10, -4(x9)
        granted lb x10, -1(x9)
        refused LOAD, DATA + 0x1000, lw x10, 0(x9)
        region  0, DATA + 0x1000, 0x400
        refused LOAD, DATA + 0xffc, lw x10, -4(x9)
        granted lw x10, 0(x9)
        granted lw x10, 0x3fc(x9)
        refused LOAD, DATA + 0x1400, lw x10, 0x400(x9)
        region  0, DATA + 0x1000, 0x100
        granted lw x10, 0xfc(x9)
        refused LOAD, DATA + 0x1100, lw x10, 0x100(x9)
        .if     !VEXRISCV
        region  0, DATA + 0x1000, 8
        granted lw x10, 4(x9)
        refused LOAD, DATA + 0x1008, lw x10, 8(x9)
        refused LOAD, DATA + 0xffc, lw x10, -4(x9)
# Four bytes.
        write   pmpaddr0, (DATA + 0x1004) >> 2
        write   pmpcfg0, NA4 | R
        granted lw x10, 4(x9)
        granted lb x10, 7(x9)
        refused LOAD, DATA + 0x1000, lw x10, 0(x9)
        refused LOAD, DATA + 0x1008, lw x10, 8(x9)
# From the address of the region before to this one's; the first from 0; nothing between addresses in the wrong order.
        write   pmpaddr0, (DATA + 0x1004) >> 2
        write   pmpaddr1, (DATA + 0x1010) >> 2
        write   pmpcfg0, (TOR | R) << 8
        refused LOAD, DATA + 0x1000, lw x10, 0(x9)
        granted lw x10, 4(x9)
        granted lw x10, 0xc(x9)
        refused LOAD, DATA + 0x1010, lw x10, 0x10(x9)
        write   pmpaddr0, (DATA + 0x20) >> 2
        write   pmpcfg0, TOR | R | X
        granted lw x10, 0x1c(x8)
        refused LOAD, DATA + 0x20, lw x10, 0x20(x8)
        write   pmpaddr0, (DATA + 0x1010) >> 2
        write   pmpaddr1, (DATA + 0x1004) >> 2
        write   pmpcfg0, (TOR | R) << 8
        refused LOAD, DATA + 0x1008, lw x10, 8(x9)
        refused LOAD, DATA + 0x1004, lw x10, 4(x9)
        .endif

# Two regions that match: by the manual the first of them decides, whatever the other says.
        region  0, DATA, 0x100
        region  1, DATA, 0x1000
        write   pmpcfg0, NAPOT | (NAPOT | R | W) << 8
        .if     VEXRISCV
        granted lw x10, 0x10(x8)
        .else
        refused LOAD, DATA + 0x10, lw x10, 0x10(x8)
        refused STORE, DATA + 0x10, sw x0, 0x10(x8)
        .endif
        granted lw x10, 0x100(x8)
        granted sw x0, 0x100(x8)
        write   pmpcfg0, (NAPOT | R) | NAPOT << 8
        granted lw x10, 0x10(x8)
        refused STORE, DATA + 0x10, sw x0, 0x10(x8)
        refused LOAD, DATA + 0x100, lw x10, 0x100(x8)
        .if     VEXRISCV
# Of two, one grants reading and the other writing.
        write   pmpcfg0, (NAPOT | R) | (NAPOT | W) << 8
        granted lw x10, 0x10(x8)
        granted sw x0, 0x14(x8)
        .else
# An entry that is off is none.
        write   pmpcfg0, R | (NAPOT | R) << 8
        granted lw x10, 0x10(x8)
        .endif

        .if     !VEXRISCV
# MPRV: machine mode's loads and stores are those of the mode in MPP.
        .macro  borrowed cause, insn:vararg
        case
        la      x27, 98f
        li      x26, MPP
        csrc    mstatus, x26
        li      x26, MPRV
        csrs    mstatus, x26
97:     \insn
        j       fail
98:     li      x26, MPRV
        csrc    mstatus, x26
        expect  x28, \cause
        expect_address x30, 97b
        .endm
        region  0, DATA, 0x1000
        write   pmpcfg0, NAPOT | R
        borrowed STORE, sw x0, 0x10(x8)
        write   pmpcfg0, NAPOT | X
        borrowed LOAD, lw x10, 0x10(x8)
        .endif
        .if     SUPERVISOR
# Supervisor mode is bound as user mode is.
        write   pmpcfg0, NAPOT | R
        traps_in 1, STORE, sw x0, 0x10(x8)
        legal_in 1, lw x10, 0x10(x8)
        .endif

# Machine mode is free of what is not locked.
        region  0, DATA, 0x1000
        write   pmpcfg0, NAPOT
        legal   lw x10, 0x10(x8)
        legal   sw x10, 0x10(x8)
# A region that is locked binds machine mode too, and stays as it is; it comes last, as only a reset takes it away.
        region  2, DATA + 0x4000, 0x1000
        li      x9, DATA + 0x4000
        write   pmpcfg0, (NAPOT | LOCKED | R) << 16
        traps   STORE, sw x0, 0x10(x9)
        expect  x29, DATA + 0x4010
        legal   lw x10, 0x10(x9)
        case
        la      x27, 98f
        jalr    x1, 0(x9)
        j       fail
98:     expect  x28, FETCH
        expect  x29, DATA + 0x4000
        refused STORE, DATA + 0x4010, sw x0, 0x10(x9)
        granted lw x10, 0x10(x9)
        case
        csrr    x11, pmpaddr2
        write   pmpcfg0, 0
        write   pmpaddr2, 0
        csrr    x10, pmpcfg0
        expect  x10, (NAPOT | LOCKED | R) << 16
        csrr    x10, pmpaddr2
        sub     x10, x10, x11
        expect  x10, 0
        traps   STORE, sw x0, 0x10(x9)
        .if     !VEXRISCV
# So does the address where a locked range begins; what is locked and not to be read is closed to machine mode.
        write   pmpaddr4, (DATA + 0x5000) >> 2
        write   pmpaddr5, (DATA + 0x6000) >> 2
        write   pmpcfg1, (NAPOT | R | W | X) << 24 | (TOR | LOCKED | X) << 8
        case
        write   pmpaddr4, 0
        csrr    x10, pmpaddr4
        expect  x10, (DATA + 0x5000) >> 2
        li      x9, DATA + 0x5000
        traps   LOAD, lw x10, 0(x9)
        expect  x29, DATA + 0x5000
        legal   lw x10, -4(x9)
        .endif

        expected_traps
        finish

        .balign 4
add_one: addi   x12, x12, 1
        jalr    x0, 0(x1)
