//! IT is decoded together with the instruction before it and takes no cycle.
//!
//! mark: A
//! evidence: DDI 0337I table 3-1 allows it; a published AES key schedule needs it
//! cycles: 2 a comparison, IT, and the instruction under it

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
    .balign 4
    nop
    bkpt
    cmp r0, r0
    it eq
    addeq r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
