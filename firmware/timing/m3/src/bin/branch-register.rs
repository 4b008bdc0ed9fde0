//! A branch to any register fetches its target while it is decoded, as one to LR: two cycles.
//!
//! mark: D
//! evidence: inferred from branch-taken
//! cycles: 2 BX
//! cycles: 2 BX LR, for comparison

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
    adr r0, 1f
    add r0, #1
    nop
    bkpt
    bx r0
    .balign 4
1:
    bkpt

    adr r0, 2f
    add lr, r0, #1
    nop
    bkpt
    bx lr
    .balign 4
2:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
