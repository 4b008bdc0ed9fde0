//! A branch to an immediate target that waits behind an instruction of several cycles asks for its target while it
//! waits, unless that is a division.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB (branches behind loads, multiplications and divisions)
//! cycles: 3 a load and B
//! cycles: 3 MLA and B
//! cycles: 4 a division of 2 cycles and B

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
    ldr r0, =scratch
    bkpt
    ldr r1, [r0]
    b 1f
    nop
1:
    bkpt

    bkpt
    mla r1, r2, r3, r4
    b 2f
    nop
2:
    bkpt

    movs r1, #0
    bkpt
    udiv r1, r1, r1
    b 3f
    nop
3:
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
