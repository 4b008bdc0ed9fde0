//! MRS takes two cycles.
//!
//! mark: A
//! evidence: seed 000, rows lock-enter and atomic-enter
//! cycles: 2 BASEPRI
//! cycles: 4 PRIMASK and CONTROL

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
    mrs r0, BASEPRI
    bkpt

    bkpt
    mrs r0, PRIMASK
    mrs r1, CONTROL
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
