//! A taken branch takes 1 cycle and a refill of 1; on the Cortex-M0 of 2.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 2 B
//! cycles: 2 B with a condition
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0
//! cycles m0: 3 B
//! cycles m0: 3 B with a condition

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
    movs r1, #0

    bkpt
    b 1f
    nop
1:
    bkpt

    bkpt
    beq 2f
    nop
2:
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
