//! A BKPT that halts the core costs nothing.
//!
//! mark: A
//! evidence: study 000, row nop, and every other that ends at a breakpoint
//! cycles: 0 from one breakpoint to the next
//! cycles: 1 with one instruction between
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
    bkpt

    bkpt
    adds r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
