//! A load or store that moves its base overlaps with the load before it as any other does. The next address can be the moved
//! base only if that load had to wait for its bus.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2652 (`ldr_writeback_pipelining`, `str_imm_index_deps`); measured on an STM32F407
//!   (loads do not chain on one base, on two they do)
//! cycles: 3 two loads that move two bases
//! cycles: 4 two that move the same
//! cycles: 2 a load and a store that moves its base
//! cycles: 4 the second address is the loaded word

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m4 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =scratch
    mov r4, r0
    bkpt
    ldr r1, [r0, #4]!
    ldr r2, [r4], #4
    bkpt

    bkpt
    ldr r1, [r0, #4]!
    ldr r2, [r0, #-4]!
    bkpt

    bkpt
    ldr r1, [r0]
    str r2, [r4, #4]!
    bkpt

    str r0, [r0]
    bkpt
    ldr r1, [r0]
    ldr r2, [r1, #4]!
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
