//! Hints that wait for nothing take one cycle.
//!
//! mark: B
//! evidence: DDI 0337I table 3-1
//! cycles: 1 NOP
//! cycles: 3 three of them
//! cycles: 3 SEV, DBG and CLREX

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

    bkpt
    sev
    dbg #0
    clrex
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
