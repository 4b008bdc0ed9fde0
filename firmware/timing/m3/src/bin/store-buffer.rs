//! A store that meets wait states delays the next access, not the next instruction.
//!
//! mark: B
//! evidence: DDI 0337I 3.3.2
//! board: firmware/timing/m3/slow-sram.toml
//! cycles: 2 a store and an addition
//! cycles: 3 two stores
//! cycles: 2 a store and an addition again
//! mark m4: B
//! board m4: firmware/timing/m4/slow-sram.toml

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
    ldr r0, =scratch
    bkpt
    str r1, [r0]
    adds r2, #1
    bkpt

    bkpt
    str r1, [r0]
    str r2, [r0, #4]
    bkpt

    bkpt
    str r1, [r0]
    adds r2, #1
    bkpt

    b measured
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
