# Supervisor mode without translation (privileged ISA manual, chapter 4): what is delegated to it, its stack of interrupt enables,
# its view of the registers of machine mode, and its interrupts.
        .include "start.inc"
        .include "traps.inc"
        .equ    SIE, 1 << 1
        .equ    SPIE, 1 << 5
        .equ    SPP, 1 << 8
        .equ    SUM, 1 << 18
        .equ    MXR, 1 << 19
        .equ    SSIP, 1 << 1
        .equ    STIP, 1 << 5
        .equ    SEIP, 1 << 9

        .macro  clear register, bits
        li      x20, \bits
        csrc    \register, x20
        .endm
        .macro  set register, bits
        li      x20, \bits
        csrs    \register, x20
        .endm
        .macro  write register, value
        li      x20, \value
        csrw    \register, x20
        .endm

# Back to machine mode, from below it.
        .macro  machine
        la      x27, 94f
        ecall
94:
        .endm

# This instruction traps in a mode, to supervisor mode: it goes on there, with scause, stval, sepc, sstatus in x28 to x31.
        .macro  delegated mode, cause, insn:vararg
        case
        la      x27, 98f
        enter   \mode
97:     \insn
        ecall                           # it does not: another trap
98:     csrr    x10, sscratch           # only there, or above
        expect  x28, \cause
        expect_address x30, 97b
        srli    x10, x31, 8
        andi    x10, x10, 1
        expect  x10, \mode
        .endm

        begin
        li      x27, 0
        open_memory
        la      x10, supervisor_trap
        csrw    stvec, x10

# Calls and privileges, with nothing delegated.
        write   medeleg, 0
        write   mideleg, 0
        traps_in 1, 9, ecall
        expect  x29, 0x73 * TELLS_CALLS
        traps_in 0, 8, ecall
        traps_in 1, 2, mret
        traps_in 0, 2, sret
        traps_in 1, 2, csrr x10, mstatus
        traps_in 1, 2, csrw mepc, x0
        traps_in 0, 2, csrr x10, sstatus
        traps_in 0, 2, csrw sscratch, x0
        traps_in 0, 2, csrr x10, satp
        .if     !VEXRISCV               # which lets everybody
        traps_in 0, 2, sfence.vma
        .endif
        legal_in 1, csrr x10, sstatus
        legal_in 1, csrw sscratch, x0
        legal_in 1, csrr x10, satp
        legal_in 1, sfence.vma
        legal_in 0, nop

# Its registers hold what is written.
        .irp    register, sscratch, sepc, stval
        case
        write   \register, 0x12345678
        csrr    x11, \register
        expect  x11, 0x12345678
        .endr
        case
        write   scause, 0x80000005
        csrr    x11, scause
        expect  x11, 0x80000005

# sstatus is a part of mstatus.
        case
        clear   mstatus, SUM | MXR | SPP | SPIE | SIE | MPP | MPIE
        set     mstatus, SUM | SPP | MPIE
        csrr    x11, sstatus
        li      x12, SUM | MXR | SPP | SPIE | SIE | MPP | MPIE
        and     x11, x11, x12
        expect  x11, SUM | SPP
        write   sstatus, MXR | SPIE | MPP | MIE
        csrr    x11, mstatus
        li      x12, SUM | MXR | SPP | SPIE | SIE | MPP | MPIE | MIE
        and     x11, x11, x12
        expect  x11, MXR | SPIE | MPIE
        clear   mstatus, MXR | SPIE

# Delegated traps go to supervisor mode, only from below machine mode.
        write   medeleg, 1 << 8 | 1 << 3 | 1 << 2
        delegated 0, 8, ecall
        expect  x29, 0x73 * TELLS_CALLS
        machine
        expect  x28, 9
        delegated 0, 2, .word 0xffffffff
        expect  x29, 0xffffffff
        machine
        delegated 1, 2, .word 0xffffffff
        expect  x29, 0xffffffff
        machine
        delegated 0, 2, csrr x10, sscratch
        machine
        delegated 1, 2, csrr x10, mscratch
        machine
        .if     BREAKPOINTS
        delegated 1, 3, ebreak
        machine
        .endif
        traps_in 1, 9, ecall
        traps   2, .word 0xffffffff
        traps   11, ecall
# Delegated traps do not touch machine mode's registers.
        case
        write   mscratch, 0x1234
        la      x27, 1f
        enter   0
        .word   0xffffffff
        j       fail
1:      la      x27, 2f
        ecall
2:      csrr    x11, mscratch
        expect  x11, 0x1234
        csrr    x11, sscratch
        csrr    x11, scause
        expect  x11, 2

# A trap keeps SIE in SPIE; SRET takes it back, sets SPIE, and goes to the mode in SPP, which it clears.
        .macro  keeps sie, mode
        clear   mstatus, SIE | SPIE | SPP
        set     mstatus, \sie * SIE
        delegated \mode, 2, .word 0xffffffff
        li      x12, SIE | SPIE | SPP
        and     x11, x31, x12
        expect  x11, \sie * SPIE | \mode * SPP
        la      x11, 97f
        csrw    sepc, x11
        sret
97:     la      x27, 95f
        ecall
95:     expect  x28, 8 + \mode
        csrr    x11, mstatus
        li      x12, SIE | SPIE | SPP
        and     x11, x11, x12
        expect  x11, \sie * SIE | SPIE
        .endm
        write   medeleg, 1 << 2
        keeps   0, 0
        keeps   1, 0
        keeps   0, 1
        keeps   1, 1
        clear   mstatus, SIE | SPIE

# SRET in machine mode goes to the mode in SPP.
        case
        clear   mstatus, SPP
        la      x11, 1f
        csrw    sepc, x11
        la      x27, 2f
        sret
1:      csrr    x10, sscratch
        j       fail
2:      csrr    x11, scause
        expect  x11, 2
        machine

# Interrupts that machine mode raises; supervisor mode takes what is delegated.
        .macro  wait
        .rept   8
        nop
        .endr
        .endm
        write   medeleg, 0
        write   mip, 0
        write   mie, 0
        .if     !VEXRISCV               # which shows all
        case
        write   mideleg, STIP
        write   mip, SSIP | STIP
        write   mie, SSIP | STIP
        csrr    x11, sip
        expect  x11, STIP
        csrr    x11, sie
        expect  x11, STIP
        write   mip, 0
        write   mie, 0
        .endif
        write   mideleg, SSIP | STIP | SEIP
        .macro  interrupt bit
# Never in machine mode.
        case
        write   mie, 1 << \bit
        write   mip, 1 << \bit
        csrr    x11, mip
        andi    x11, x11, SSIP | STIP | SEIP
        expect  x11, 1 << \bit
        csrr    x11, sip
        expect  x11, 1 << \bit
        csrsi   mstatus, MIE
        wait
        csrci   mstatus, MIE
# In supervisor mode, if SIE is set.
        case
        clear   mstatus, SIE
        la      x27, 98f
        enter   1
        wait
        la      x27, 97f
        csrsi   sstatus, SIE
        wait
        j       fail
98:     j       fail
97:     expect  x28, 0x80000000 | \bit
        li      x12, SIE | SPIE | SPP
        and     x11, x31, x12
        expect  x11, SPIE | SPP
        machine
# In user mode in any case.
        case
        clear   mstatus, SIE
        la      x27, 98f
        enter   0
        wait
        j       fail
98:     expect  x28, 0x80000000 | \bit
        machine
# To machine mode, if it is not delegated.
        case
        write   mideleg, 0
        la      x27, 98f
        clear   mstatus, MPIE
        .if     MANUAL                  # each trap writes mtval, an interrupt 0
        write   mtval, 0x55
        .endif
        enter   1
        wait
        j       fail
98:     expect  x28, 0x80000000 | \bit
        .if     MANUAL
        expect  x29, 0
        .endif
        csrr    x11, mcause
        expect  x11, 0x80000000 | \bit
        write   mip, 0
        write   mie, 0
        write   mideleg, SSIP | STIP | SEIP
        .endm
        interrupt 1
        interrupt 5
        interrupt 9
# All at once: external, software, timer.
        .macro  first bit, among:vararg
        case
        write   mie, SSIP | STIP | SEIP
        write   mip, \among
        la      x27, 98f
        enter   0
        wait
        j       fail
98:     expect  x28, 0x80000000 | \bit
        machine
        .endm
        .if     !VIRT                   # where the lowest number is first
        first   9, SSIP | STIP | SEIP
        first   1, SSIP | STIP
        .endif
        first   5, STIP
# Supervisor mode clears its own software interrupt.
        case
        write   mip, SSIP
        la      x27, fail
        enter   1
        csrci   sip, SSIP
        csrsi   sstatus, SIE
        wait
        csrci   sstatus, SIE
        csrr    x11, sip
        expect  x11, 0
        machine
        write   mie, 0
        .if     VECTORED
        la      x10, table + 1
        csrw    stvec, x10
        case
        write   mie, STIP
        write   mip, STIP
        la      x27, 1f
        enter   0
        wait
        j       fail
1:      expect_address x25, table + 4 * 5 + 4
        machine
        write   mie, 0
        write   mip, 0
        write   medeleg, 1 << 2
        delegated 1, 2, .word 0xffffffff
        expect_address x25, table + 4
        machine
        .endif

        .if     MANUAL
# TSR, TVM and TW keep SRET, translation and WFI from it.
        write   medeleg, 0
        set     mstatus, 1 << 22
        traps_in 1, 2, sret
        clear   mstatus, 1 << 22
        set     mstatus, 1 << 20
        traps_in 1, 2, csrr x10, satp
        traps_in 1, 2, csrw satp, x0
        traps_in 1, 2, sfence.vma
        clear   mstatus, 1 << 20
        set     mstatus, 1 << 21
        traps_in 1, 2, wfi
        clear   mstatus, 1 << 21
        .endif

        expected_traps
        finish

        .balign 4
supervisor_trap:
        bnez    x27, 1f
        ecall                           # nobody expected it: machine mode says so
1:      csrr    x28, scause
        csrr    x29, stval
        csrr    x30, sepc
        csrr    x31, sstatus
        addi    x26, x27, 0
        li      x27, 0
        jr      x26

        .balign 64
table:
        .rept   16
        jal     x25, supervisor_trap
        .endr
