//! A load or store over the single-cycle I/O port takes 1 cycle.
//!
//! mark: B
//! evidence: DDI 0484C table 3-1
//! board: firmware/timing/m0plus/slow.toml
//! cycles: 1 STR
//! cycles: 1 LDR

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
    movs r0, #13
    lsls r0, #28

    bkpt
    str r1, [r0]
    bkpt

    bkpt
    ldr r1, [r0]
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
