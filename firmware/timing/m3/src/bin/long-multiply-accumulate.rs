//! UMLAL and SMLAL end early when the upper half of an operand is empty.
//!
//! mark: D
//! evidence: DDI 0337I table 3-1 gives 4 to 7 cycles and names the size of the operands; which size gives which
//!   is inferred
//! cycles: 4 both operands fit 16 bits
//! cycles: 5 one needs 32 bits
//! cycles: 6 both need 32 bits

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
    movs r4, #0
    movs r5, #0
    bkpt
    umlal r4, r5, r1, r2
    bkpt

    bkpt
    umlal r4, r5, r1, r3
    bkpt

    bkpt
    umlal r4, r5, r3, r3
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
