//! A load right behind a store waits one cycle for the store's data phase.
//!
//! mark: A
//! evidence: published cycle counts of bitsliced AES, Cortex-M3 against M4
//! cycles: 4 a store and a load
//! cycles: 4 an instruction between hides the wait
//! cycles: 2 a store and a store

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
    str r1, [r0]
    ldr r2, [r0, #4]
    bkpt

    bkpt
    str r1, [r0]
    movs r3, #1
    ldr r2, [r0, #4]
    bkpt

    bkpt
    str r1, [r0]
    str r2, [r0, #4]
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
