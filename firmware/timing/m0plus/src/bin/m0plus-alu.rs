//! A data-processing instruction takes 1 cycle.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 1 MOVS
//! cycles: 1 ADDS
//! cycles: 1 LSLS
//! cycles: 1 CMP
//! cycles: 1 UXTB
//! cycles: 1 REV
//! cycles: 1 MOV of a high register
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0

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
    movs r1, #1
    bkpt

    bkpt
    adds r1, r1, r2
    bkpt

    bkpt
    lsls r1, r2
    bkpt

    bkpt
    cmp r1, r2
    bkpt

    bkpt
    uxtb r1, r2
    bkpt

    bkpt
    rev r1, r2
    bkpt

    bkpt
    mov r8, r1
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
