//! IT takes one cycle.
//!
//! mark: D
//! evidence: DDI 0337I table 3-1 allows IT to be folded into the instruction before it; when is not published,
//!   and no figure here needs it
//! cycles: 2 IT and the instruction under it

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
    cmp r0, r0
    bkpt
    it eq
    addeq r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
