//! MRS takes one cycle.
//!
//! mark: A
//! evidence: 480 values published with `CMEmu`, on a CC2650; study 000, row lock-enter
//! cycles: 1 BASEPRI
//! cycles: 2 PRIMASK and CONTROL
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
