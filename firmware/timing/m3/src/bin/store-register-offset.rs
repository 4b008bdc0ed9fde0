//! A store with a register offset takes two cycles; a NOP hides in the second, and a load after it need not wait.
//!
//! mark: A
//! evidence: DDI 0337I 3.3.2; published with `CMEmu`, on an STM32F100RB
//! cycles: 2 a store
//! cycles: 2 a store and a NOP
//! cycles: 3 a store and a move
//! cycles: 4 a store and a load
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
    ldr r0, =scratch
    movs r2, #4
    bkpt
    str r1, [r0, r2]
    bkpt

    bkpt
    str r1, [r0, r2]
    nop
    bkpt

    bkpt
    str r1, [r0, r2]
    movs r3, #1
    bkpt

    bkpt
    str r1, [r0, r2]
    ldr r3, [r0]
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
