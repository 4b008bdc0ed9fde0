//! SVC takes 1 cycle before the entry begins: 12 to the first instruction of the handler, on the Cortex-M0 13.
//!
//! mark: D
//! evidence: inference: no published figure
//! cycles: 13 SVC
//! mark m0: D
//! cycles m0: 14 SVC

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
    svc #0

    bl measured
    .size measure, . - measure

    .balign 4
    .global handler
    .type handler, %function
handler:
    bkpt
    bx lr
    .size handler, . - handler
    .global SVCall
    .thumb_set SVCall, handler
"#,
    options(raw)
);
