//! A wait state delays the end of its transfer by a cycle; an instruction waits for the data that it loads.
//!
//! mark: B
//! evidence: AMBA 3 AHB-Lite
//! board: firmware/timing/m3/slow-sram.toml
//! cycles: 3 a load from memory with one wait state
//! cycles: 5 two loads
//! cycles: 9 LDM of four
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
    ldr r1, [r0]
    bkpt

    bkpt
    ldr r1, [r0]
    ldr r2, [r0, #4]
    bkpt

    bkpt
    ldmia r0, {r1-r4}
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
