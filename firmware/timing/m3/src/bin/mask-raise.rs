//! CPSID and MSR take two cycles where they raise PRIMASK, FAULTMASK or BASEPRI, all of whose bits count.
//!
//! mark: A
//! evidence: 528 values published with `CMEmu`, on a CC2650; study 000, rows lock-enter and atomic-enter
//! cycles: 2 CPSID
//! cycles: 1 CPSIE, for comparison
//! cycles: 2 MSR BASEPRI
//! cycles: 2 MSR `BASEPRI_MAX`
//! cycles: 2 MSR BASEPRI of a value whose bits are not implemented
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
    cpsid i
    bkpt

    bkpt
    cpsie i
    bkpt

    movs r1, #0x20
    movs r0, #0
    bkpt
    msr BASEPRI, r1
    bkpt

    msr BASEPRI, r0
    bkpt
    msr BASEPRI_MAX, r1
    bkpt

    msr BASEPRI, r0
    movs r1, #1
    bkpt
    msr BASEPRI, r1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
