//! NOP takes one cycle.
//!
//! mark: A
//! evidence: study 000, row nop
//! cycles: 1 one
//! cycles: 3 three
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
    bkpt
    nop
    bkpt

    bkpt
    nop
    nop
    nop
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
