//! SSAT and USAT take one cycle.
//!
//! mark: B
//! evidence: DDI 0337I table 3-1
//! cycles: 2 one each
//! mark m4: A

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
    mov r1, #0x8000
    bkpt
    ssat r2, #8, r1
    usat r3, #8, r1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
