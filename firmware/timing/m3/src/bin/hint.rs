//! Hints that wait for nothing take one cycle.
//!
//! mark: B
//! evidence: DDI 0337I table 3-1
//! cycles: 4 YIELD, SEV, DBG and CLREX
//! mark m4: B

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
    yield
    sev
    dbg #0
    clrex
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
