//! A write to SRAM whose data phase keeps a fetch from SRAM waiting takes a cycle more.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`str`, `strb_strh`)
//! board: cortex-m3
//! cycles: 6 a NOP, a store, and a load, in SRAM: a word is fetched meanwhile
//! cycles: 5 the same in flash
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`str`, `strb_strh`)

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
    ldr r4, =scratch
    ldr r0, =in_sram
    bx r0
    .size measure, . - measure

    .balign 8
    .global in_flash
    .type in_flash, %function
in_flash:
    nop.w
    bkpt
    nop
    str.w r1, [r4]
    ldr.w r2, [r4, #4]
    bkpt
    b measured
    .size in_flash, . - in_flash
    .ltorg

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    nop.w
    bkpt
    nop
    str.w r1, [r4]
    ldr.w r2, [r4, #4]
    bkpt
    ldr r0, =in_flash
    bx r0
    .size in_sram, . - in_sram
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
