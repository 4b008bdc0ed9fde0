//! BL takes 2 cycles and a refill of 1; on the Cortex-M0 of 2.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 3 BL to an aligned target
//! cycles: 3 BL, itself across two words, to an unaligned target
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0
//! cycles m0: 4 BL to an aligned target
//! cycles m0: 4 BL, itself across two words, to an unaligned target

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
    bl 1f
    nop
    .balign 4
1:
    bkpt

    bkpt
    .balign 4
    bl 2f
    .balign 4
    nop
2:
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
