//! A store to a bit-band alias reads the word and writes it back: one more transfer.
//!
//! mark: D
//! evidence: DDI 0337I 3.6
//! cycles: 2 two stores to plain memory
//! cycles: 3 a store to the alias and one to plain memory
//! mark m4: D

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
    str r1, [r0, #4]
    bkpt

    ldr r2, =0x22000000
    bkpt
    str r1, [r2]
    str r1, [r0]
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
