//! A load right after a single store waits one cycle for the store's data phase; after STM, PUSH or STRD it does
//! not.
//!
//! mark: A
//! evidence: published counts of a stream cipher and of bitsliced AES in assembly
//! cycles: 4 a store and a load
//! cycles: 4 an instruction between hides the wait
//! cycles: 5 a store and LDM of two
//! cycles: 2 a store and a store
//! cycles: 5 STRD and a load
//! mark m4: A

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
    ldmia r0, {r1, r2}
    bkpt

    bkpt
    str r1, [r0]
    str r2, [r0, #4]
    bkpt

    bkpt
    strd r1, r2, [r0]
    ldr r3, [r0]
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
