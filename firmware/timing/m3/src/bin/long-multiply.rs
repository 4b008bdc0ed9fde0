//! A long multiplication takes 3 cycles, and 1 for each product of a lower with an upper half that is not zero.
//!
//! mark: A
//! evidence: 28,536 products measured on an STM32F100RB, published with `CMEmu`; DDI 0337I table 3-1 for the
//!   range
//! cycles: 3 both operands fit 16 bits
//! cycles: 4 one has an upper half
//! cycles: 5 both have both halves

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
    movs r1, #3
    movs r2, #5
    mvn r3, #0
    bkpt
    umull r4, r5, r1, r2
    bkpt

    bkpt
    umull r4, r5, r1, r3
    bkpt

    bkpt
    umull r4, r5, r3, r3
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
