//! A conditional branch that is not taken takes one cycle.
//!
//! mark: A
//! evidence: study 000, rows refcell-unit (CBNZ) and atomic-exit (BNE)
//! cycles: 1 BNE
//! cycles: 2 CBZ, and an addition behind it
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
    cmp r0, r0
    bkpt
    bne 1f
1:
    bkpt

    movs r1, #1
    bkpt
    cbz r1, 1f
    adds r1, #1
1:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
