//! A load from the memory that instructions come from takes that memory's cycle, and the fetch waits.
//!
//! mark: C
//! evidence: DDI 0337I 3.3.2 advises against it; one published set of measurements
//! cycles: 8 a load from SRAM, then six additions of 32 bits across words
//! cycles: 9 a load from flash in its place

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
    ldr r0, =scratch
    nop
    bkpt
    ldr.w r4, [r0]
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    adr r0, measure
    nop
    nop
    bkpt
    ldr.w r4, [r0]
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
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
