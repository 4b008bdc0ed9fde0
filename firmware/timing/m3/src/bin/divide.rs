//! A division takes longer the more bits its dividend has above the divisor's: 2 cycles if an operand is 0, 3 if
//! the dividend has fewer bits, else 5 and 1 for every 4 bits.
//!
//! mark: A
//! evidence: 19,051 quotients measured on an STM32F100RB, published with `CMEmu`; DDI 0337I table 3-1 for the
//!   range
//! cycles: 2 the dividend is 0
//! cycles: 3 the dividend is shorter
//! cycles: 5 they are equally long
//! cycles: 6 the dividend is 4 bits longer
//! cycles: 12 it is 31 bits longer
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
    movs r1, #0
    movs r2, #9
    bkpt
    udiv r3, r1, r2
    bkpt

    movs r1, #7
    bkpt
    udiv r3, r1, r2
    bkpt

    movs r2, #4
    bkpt
    udiv r3, r1, r2
    bkpt

    movs r1, #0x70
    bkpt
    udiv r3, r1, r2
    bkpt

    mvn r1, #0
    movs r2, #1
    bkpt
    udiv r3, r1, r2
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
