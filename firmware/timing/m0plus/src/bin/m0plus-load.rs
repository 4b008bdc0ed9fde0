//! A load takes 2 cycles.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 2 LDR
//! cycles: 2 LDRB with a register offset
//! cycles: 4 two loads do not overlap
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m0plus as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =scratch
    movs r2, #1

    bkpt
    ldr r1, [r0]
    bkpt

    bkpt
    ldrb r1, [r0, r2]
    bkpt

    bkpt
    ldr r1, [r0]
    ldr r1, [r0, #4]
    bkpt

    bl measured
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
