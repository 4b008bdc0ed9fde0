//! A load and the load or store right after it overlap only if both go to the same area (code, SRAM, peripherals,
//! external, system) and to the same memory there.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB
//! cycles: 3 two loads from flash
//! cycles: 3 two loads from SRAM
//! cycles: 4 a load from flash and one from SRAM
//! cycles: 3 a load from flash and a store to SRAM
//! mark m4: C

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

    ldr r0, =scratch
    bkpt
    ldr r1, [r0]
    ldr r2, [r0, #4]
    bkpt

    .balign 4
    ldr r0, =scratch
    bkpt
    ldr r1, 9f
    ldr r2, [r0]
    bkpt

    .balign 4
    bkpt
    ldr r1, 9f
    str r2, [r0]
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
