# Counters (privileged ISA manual 3.1.10): they count, can be written, and carry.
        .include "start.inc"
        .if     TRAPS
        .include "traps.inc"
        .endif
        begin
        li      x27, 0

        .if     COUNTERS
# Retired instructions, and not cycles.
        case
        csrr    x10, minstret
        nop
        nop
        nop
        csrr    x11, minstret
        sub     x11, x11, x10
        expect  x11, 4
# A branch that is taken, and a jump, count as one. Right after a jump, Ibex with a write-back stage reads one too many.
        case
        csrr    x10, minstret
        beq     x0, x0, 1f
        nop
1:      j       2f
        nop
2:      nop
        csrr    x11, minstret
        sub     x11, x11, x10
        expect  x11, 4
# Cycles go on, each instruction takes one at least.
        case
        csrr    x10, mcycle
        .rept   8
        nop
        .endr
        csrr    x11, mcycle
        sub     x11, x11, x10
        sltiu   x12, x11, 9
        expect  x12, 0
        sltiu   x12, x11, 1000
        expect  x12, 1
# Written, they go on from there; the halves are two registers, and the low one carries into the high one.
        .if     MANUAL & !VIRT          # QEMU 7.2 counts the instruction that writes
        case
        csrwi   minstret, 0
        csrr    x10, minstret
        expect  x10, 0
        case
        li      x10, -1
        csrw    minstret, x10
        csrw    minstreth, x10
        nop
        csrr    x11, minstret
        expect  x11, 0
        csrr    x11, minstreth
        expect  x11, 0
        .endif
        .irp    low, mcycle, minstret
        case
        csrw    \low\()h, x0
        li      x10, 0x1000
        csrw    \low, x10
        nop
        csrr    x11, \low
        sub     x11, x11, x10
        sltiu   x11, x11, 100
        expect  x11, 1
        csrr    x11, \low\()h
        expect  x11, 0
        .if     !VIRT                   # where they do not carry
        case
        li      x10, 7
        csrw    \low\()h, x10
        li      x11, -1
        csrw    \low, x11
        nop
        nop
        nop
        csrr    x12, \low
        sltiu   x12, x12, 100
        expect  x12, 1
        csrr    x13, \low\()h
        expect  x13, 8
        .endif
        .endr
        .endif

        .if     USER_COUNTERS
# The same for programs below machine mode.
        case
        rdinstret x10
        nop
        nop
        rdinstret x11
        sub     x11, x11, x10
        expect  x11, 3
        case
        rdcycle x10
        nop
        rdcycle x11
        sub     x11, x11, x10
        sltiu   x12, x11, 2
        expect  x12, 0
        sltiu   x12, x11, 1000
        expect  x12, 1
        case
        rdcycleh x10
        rdcycleh x11
        sub     x11, x11, x10
        expect  x11, 0
        rdinstreth x10
        rdinstreth x11
        sub     x11, x11, x10
        expect  x11, 0
        .endif
        .if     USER_COUNTERS & COUNTERS
        case
        rdinstret x10
        csrr    x11, minstret
        sub     x11, x11, x10
        expect  x11, 1
        .endif

# Counters of events: there, and none of them counts (privileged ISA manual 3.1.10, 3.1.12).
        .macro  counts_nothing register
        case
        csrr    x10, \register
        expect  x10, 0
        .endm
        .if     MANUAL
        counts_nothing mhpmcounter3
        counts_nothing mhpmcounter3h
        counts_nothing mhpmevent3
        .if     !VIRT                   # QEMU has 16, which can be told what to count
        counts_nothing mhpmcounter31
        counts_nothing mhpmevent31
        csrwi   mhpmevent3, 1
        counts_nothing mhpmevent3
        .endif
        .endif

        .if     TRAPS
        expected_traps
        .endif
        finish
