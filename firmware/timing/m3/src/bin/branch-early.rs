//! A branch to an immediate target that waits for an instruction of several cycles requests its target while it
//! waits, so that a target across words need not wait for its second word.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB
//! cycles: 4 B to a 32-bit instruction across words, and that
//! cycles: 5 the same behind a load of 2 cycles
//! cycles: 5 the same behind MLA
//! cycles: 5 the same behind a division of 2 cycles
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`b_seq`)

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m3 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    .balign 4
    nop
    bkpt
    b 1f
1:
    add.w r1, r1, #1
    bkpt

    ldr r0, =scratch
    .balign 4
    bkpt
    ldr r1, [r0]
    b 1f
1:
    add.w r1, r1, #1
    bkpt

    .balign 4
    nop
    bkpt
    mla r1, r2, r3, r4
    b 1f
1:
    add.w r1, r1, #1
    bkpt

    movs r1, #0
    .balign 4
    nop
    bkpt
    udiv r1, r1, r1
    b 1f
1:
    add.w r1, r1, #1
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
