//! A taken branch whose target is an immediate or LR takes two cycles: one of its own, one to refill the pipeline.
//!
//! mark: A
//! evidence: study 000, rows call-entry and call-return; DDI 0337I table 3-1 with P = 1
//! cycles: 2 B
//! cycles: 2 a condition that holds
//! cycles: 4 BL, and BX LR back
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
    b 1f
    nop
1:
    bkpt

    cmp r0, r0
    bkpt
    beq 1f
    nop
1:
    bkpt

    bkpt
    bl leaf
    bkpt

    b measured
    .size measure, . - measure

    .balign 4
leaf:
    bx lr
"#,
    options(raw)
);
