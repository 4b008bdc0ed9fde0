//! BX to a register that was written right before waits one cycle.
//!
//! mark: D
//! evidence: inferred from address-dependency
//! cycles: 4 an addition and BX to its result
//! cycles: 4 with one instruction between

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
    bkpt
    adds r0, #1
    bx r0
    .balign 4
1:
    bkpt

    adr r0, 2f
    bkpt
    adds r0, #1
    movs r1, #1
    bx r0
    .balign 4
2:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
