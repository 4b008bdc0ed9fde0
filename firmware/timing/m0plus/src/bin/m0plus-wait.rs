//! WFE and WFI take 2 cycles, plus the sleep.
//!
//! mark: B
//! evidence: DDI 0484C table 3-1
//! cycles: 2 WFE that finds an event
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
    sev

    bkpt
    wfe
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
