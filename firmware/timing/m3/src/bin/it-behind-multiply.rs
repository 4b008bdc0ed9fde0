//! From r2p0 of the Cortex-M3 on, IT takes no cycle right after MULS either.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`it_fold`); not on an STM32F100RB
//! board: cortex-m3
//! cycles: 2 MULS, IT, and the instruction under it
//! cycles: 3 MUL of 32 bits, IT, and the instruction under it

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
    movs r2, #0
    .balign 4
    nop
    bkpt
    muls r2, r1, r2
    it eq
    addeq r1, #1
    bkpt

    cmp r0, r0
    .balign 4
    nop
    bkpt
    mul r2, r1, r2
    it eq
    addeq r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
