//! ISB refills the pipeline from the instruction after it.
//!
//! mark: B
//! evidence: DDI 0337I table 3-1: one cycle and P, which is 2 here, for the target is fetched while ISB executes
//! cycles: 3 ISB
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
    isb
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
