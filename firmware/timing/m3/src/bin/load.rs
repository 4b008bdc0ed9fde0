//! A load takes two cycles, whatever its size.
//!
//! mark: A
//! evidence: study 000, rows counter and cyccnt-read; DDI 0337I table 3-1
//! cycles: 2 a word
//! cycles: 2 a halfword
//! cycles: 2 a signed byte
//! cycles: 2 with a register offset
//! cycles: 3 and an instruction that uses it
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
    ldr r1, [r0]
    bkpt

    bkpt
    ldrh r1, [r0]
    bkpt

    bkpt
    ldrsb r1, [r0, #1]
    bkpt

    movs r2, #4
    bkpt
    ldr r1, [r0, r2]
    bkpt

    bkpt
    ldr r1, [r0]
    adds r1, #1
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
