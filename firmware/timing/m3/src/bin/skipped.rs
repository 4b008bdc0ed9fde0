//! An instruction whose condition fails takes one cycle, a load too; it waits for an address, but not for a store.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB
//! cycles: 3 a comparison, and two that fail
//! cycles: 3 a comparison, a store, and a load that fails
//! cycles: 4 a comparison, and a load that fails and would have needed the sum before it
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
    cmp r0, r0
    itt ne
    addne r1, #1
    ldrne r2, [r0]
    bkpt

    bkpt
    cmp r0, r0
    ite eq
    streq r2, [r0]
    ldrne r2, [r0]
    bkpt

    bkpt
    cmp r0, r0
    ite eq
    addeq r3, r0, #4
    ldrne r2, [r3]
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
