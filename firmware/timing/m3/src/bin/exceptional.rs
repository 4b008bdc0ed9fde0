//! SVC takes 1 cycle before the entry begins: 10 to the first instruction of the handler.
//!
//! mark: D
//! evidence: inference: no published figure
//! cycles: 10 SVC
//! mark m4: D

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
    svc #0
    b measured
    .size measure, . - measure
    .ltorg

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
