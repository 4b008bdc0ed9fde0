//! A division takes longer the more bits its quotient has.
//!
//! mark: D
//! evidence: DDI 0337I table 3-1 gives 2 to 12 cycles; the steps between are inferred
//! cycles: 2 the divisor is greater: the quotient is 0
//! cycles: 3 one bit of quotient
//! cycles: 12 all bits of quotient

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
    movs r1, #7
    movs r2, #9
    bkpt
    udiv r3, r1, r2
    bkpt

    movs r2, #4
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
