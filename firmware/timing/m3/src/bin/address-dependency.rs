//! An address that uses a late result of the instruction right before it costs one cycle; stored data does not.
//!
//! mark: A
//! evidence: study 000, rows counter and refcell-*; DDI 0337I 3.3.2; published with `CMEmu`, on an STM32F100RB
//! cycles: 4 the address was just computed
//! cycles: 4 one instruction lies between
//! cycles: 2 only the data was just computed
//! cycles: 6 the upper word of a long multiplication
//! cycles: 5 the lower word of it is there in time
//! mark m4: A
//! cycles m4: 4 the address was just computed
//! cycles m4: 4 one instruction lies between
//! cycles m4: 2 only the data was just computed
//! cycles m4: 4 the upper word of a long multiplication
//! cycles m4: 4 the lower word of it

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
    ldr r4, =scratch
    bkpt
    adds r0, r4, #4
    ldr r1, [r0]
    bkpt

    ldr r0, =scratch
    bkpt
    adds r0, r4, #4
    movs r2, #1
    ldr r1, [r0]
    bkpt

    ldr r0, =scratch
    bkpt
    adds r1, r2, #1
    str r1, [r0]
    bkpt

    movs r1, #0
    movs r2, #0
    ldr r6, =scratch
    bkpt
    umull r4, r5, r1, r2
    ldr r3, [r6, r5]
    bkpt

    bkpt
    umull r5, r4, r1, r2
    ldr r3, [r6, r5]
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
