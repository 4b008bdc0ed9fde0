//! Right behind a 16-bit data-processing instruction other than MUL, or a NOP, IT takes no cycle.
//!
//! mark: A
//! evidence: published AES key schedules; published with `CMEmu`, on an STM32F100RB
//! cycles: 2 a comparison, IT, and the instruction under it
//! cycles: 3 MUL, IT, and the instruction under it
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
    .balign 4
    nop
    bkpt
    cmp r0, r0
    it eq
    addeq r1, #1
    bkpt

    cmp r0, r0
    bkpt
    mul r2, r1, r2
    it eq
    addeq r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
