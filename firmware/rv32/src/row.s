# A row: `\insn` stands between a NOP, `from_…`, and another, `to_…`, all in one line of a cache of 32 bytes.
    .option norelax
    .macro row name, insn:vararg
    .balign 32
    nop
    nop
    nop
    .globl from_\name, to_\name
from_\name:
    nop
    \insn
to_\name:
    nop
    nop
    .endm

# The same, followed by an instruction that needs its result, t1.
    .macro use name, insn:vararg
    .balign 32
    nop
    nop
    nop
    .globl from_\name, to_\name
from_\name:
    nop
    \insn
    addi t2, t1, 1
to_\name:
    nop
    .endm
