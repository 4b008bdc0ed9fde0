//! A single store right after a single load starts in the load's second cycle; its data may be the loaded value.
//!
//! mark: A
//! evidence: published counts of bitsliced AES (2560 such pairs)
//! cycles: 2 a load and a store
//! cycles: 2 of the loaded word
//! cycles: 3 the store's address is the loaded word
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
    ldr r1, [r0]
    str r2, [r0, #4]
    bkpt

    bkpt
    ldr r1, [r0]
    str r1, [r0, #4]
    bkpt

    str r0, [r0]
    bkpt
    ldr r1, [r0]
    str r2, [r1]
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
