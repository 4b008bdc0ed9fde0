//! Instructions and data come over one bus: an access waits for the fetch under way, or the fetch for the access.
//!
//! mark: D
//! evidence: inference
//! board: firmware/timing/m0plus/slow-flash.toml
//! board m0: firmware/timing/m0plus/slow-flash-m0.toml
//! cycles: 4 LDR beside the fetch of the next word at 1 wait state, and NOP
//! mark m0: D

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
    ldr r0, =scratch
    .balign 4
    nop

    bkpt
    ldr r1, [r0]
    nop
    bkpt

    bl measured
    .size measure, . - measure
    .ltorg

    .section .bss.scratch, "aw", %nobits
    .balign 8
    .global scratch
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
"#,
    options(raw)
);
