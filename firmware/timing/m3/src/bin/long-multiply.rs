//! UMULL and SMULL end early when the upper half of an operand is empty.
//!
//! mark: D
//! evidence: DDI 0337I table 3-1 gives 3 to 5 cycles and names the size of the operands; which size gives which
//!   is inferred
//! cycles: 3 both operands fit 16 bits
//! cycles: 4 one needs 32 bits
//! cycles: 5 both need 32 bits

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
    movs r1, #3
    movs r2, #5
    mvn r3, #0
    bkpt
    umull r4, r5, r1, r2
    bkpt

    bkpt
    umull r4, r5, r1, r3
    bkpt

    bkpt
    umull r4, r5, r3, r3
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
