//! MSR and CPS take one cycle.
//!
//! mark: A
//! evidence: seed 000, rows lock-exit, lock-enter and atomic-exit
//! cycles: 1 MSR
//! cycles: 2 CPSID and CPSIE

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

    bkpt
    cpsid i
    cpsie i
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
