//! A BKPT that halts the core costs nothing.
//!
//! mark: D
//! evidence: as on the Cortex-M3
//! cycles: 0 from one breakpoint to the next
//! cycles: 1 with one instruction between
//! mark m0: D

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
    bkpt

    bkpt

    bkpt
    adds r1, #1
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
