//! ADD to PC takes 1 cycle and a refill of 1; on the Cortex-M0 of 2.
//!
//! mark: B
//! evidence: DDI 0484C table 3-1
//! cycles: 2 ADD PC
//! mark m0: B
//! evidence m0: DDI 0432C table 3-1
//! cycles m0: 3 ADD PC

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
    movs r1, #2
    bkpt
    add pc, r1
    nop
    nop
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
