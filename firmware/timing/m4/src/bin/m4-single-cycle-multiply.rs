//! Every multiplication takes one cycle, and its result is late for an address as that of any data processing.
//!
//! mark: A
//! evidence: DDI 0439 table 3-1; published with `CMEmu`, on a CC2652
//! cycles: 1 MLA
//! cycles: 4 SMULL, UMULL, SMLAL, UMLAL of numbers of 32 bits
//! cycles: 3 one after the other, each needs the one before
//! cycles: 4 the low word of UMULL is the address of the next load

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m4 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =scratch
    mvn r1, #0
    mvn r2, #1
    movs r6, #0
    bkpt
    mla r3, r1, r2, r1
    bkpt

    .balign 4
    nop
    bkpt
    smull r3, r4, r1, r2
    umull r3, r4, r1, r2
    smlal r3, r4, r1, r2
    umlal r3, r4, r1, r2
    bkpt

    .balign 4
    nop
    bkpt
    umull r3, r4, r1, r2
    mla r3, r4, r3, r4
    umlal r3, r4, r3, r4
    bkpt

    movs r1, #1
    movs r3, #0
    movs r4, #0
    bkpt
    umull r3, r4, r0, r1
    ldr r5, [r3]
    bkpt

    b measured
    .size measure, . - measure
    .ltorg

    .section .bss.scratch, "aw", %nobits
    .balign 8
    .global scratch
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
"#,
    options(raw)
);
