//! On an r1p1 loads and stores whose condition fails keep room from what follows as those that execute do.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB (`it_pipeline`); not on a CC2650
//! cycles: 7 IT, four loads that fail, across words, and a move
//! cycles: 6 four additions in their place

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
    cmp r0, r0
    .balign 8
    nop
    bkpt
    itttt ne
    ldrne.w r2, [r0]
    ldrne.w r2, [r0]
    ldrne.w r2, [r0]
    ldrne.w r2, [r0]
    mov.w r3, #0
    bkpt

    .balign 8
    nop
    bkpt
    itttt ne
    addne.w r2, r0, #4
    addne.w r2, r0, #4
    addne.w r2, r0, #4
    addne.w r2, r0, #4
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
