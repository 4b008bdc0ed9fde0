//! A literal load overlaps with another literal load, not with other loads.
//!
//! mark: C
//! evidence: one published set of Cortex-M4 measurements
//! cycles: 3 two literal loads
//! cycles: 4 a literal load and another load

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
    bkpt
    ldr r1, 9f
    ldr r2, 9f + 4
    bkpt

    .balign 4
    ldr r0, =scratch
    bkpt
    ldr r1, 9f
    ldr r2, [r0]
    bkpt

    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
9:
    .word 1, 2

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
