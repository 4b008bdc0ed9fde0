//! CPS takes 1 cycle.
//!
//! mark: B
//! evidence: DDI 0484C table 3-1
//! cycles: 1 CPSID
//! cycles: 1 CPSIE
//! mark m0: B
//! evidence m0: DDI 0432C table 3-1

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
    cpsid i
    bkpt

    bkpt
    cpsie i
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
