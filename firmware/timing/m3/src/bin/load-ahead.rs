//! On an r1p1 a load that waits for the store before it leaves decode in time all the same.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB (`it_pipeline`); not on a CC2650
//! cycles: 8 two stores, a load and a store across words: the last of them comes too late to overlap
//! cycles: 7 a store, a load and two stores: room for what follows is there a cycle sooner

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
    .balign 8
    nop
    bkpt
    nop
    str.w r2, [r0]
    str.w r2, [r0]
    ldr.w r2, [r0]
    str.w r2, [r0]
    mov.w r3, #0
    bkpt

    .balign 8
    nop
    bkpt
    nop
    str.w r2, [r0]
    ldr.w r2, [r0]
    str.w r2, [r0]
    mov.w r3, #0
    mov.w r3, #0
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
