//! MSR takes 3 cycles; on the Cortex-M0 4.
//!
//! mark: B
//! evidence: DDI 0484C table 3-1
//! cycles: 3 MSR
//! mark m0: B
//! evidence m0: DDI 0432C table 3-1
//! cycles m0: 4 MSR

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
    msr APSR_nzcvq, r1
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
