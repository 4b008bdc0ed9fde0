//! A wait state delays the end of its transfer by 1 cycle.
//!
//! mark: B
//! evidence: AMBA 3 AHB-Lite
//! board: firmware/timing/m0plus/slow.toml
//! board m0: firmware/timing/m0plus/slow-m0.toml
//! cycles: 3 LDR
//! cycles: 3 STR
//! cycles: 9 LDM of four
//! mark m0: B

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

    bkpt
    ldr r1, [r0]
    bkpt

    bkpt
    str r1, [r0]
    bkpt

    bkpt
    ldmia r0!, {r1-r4}
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
