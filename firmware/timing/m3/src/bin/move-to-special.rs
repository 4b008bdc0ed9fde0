//! MSR and CPS take one cycle where they raise no mask.
//!
//! mark: A
//! evidence: 480 values published with `CMEmu`, on a CC2650; study 000, rows lock-exit and atomic-exit
//! cycles: 1 MSR of what BASEPRI is already
//! cycles: 1 MSR that lowers BASEPRI
//! cycles: 1 CPSIE
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
    movs r0, #0
    bkpt
    msr BASEPRI, r0
    bkpt

    movs r1, #0x20
    msr BASEPRI, r1
    bkpt
    msr BASEPRI, r0
    bkpt

    cpsid i
    bkpt
    cpsie i
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
