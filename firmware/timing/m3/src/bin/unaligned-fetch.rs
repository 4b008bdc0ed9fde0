//! While the parts of an unaligned access are transferred nothing is fetched over the system bus, and they wait for a fetch
//! that was there just before.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`ldr_str_unaligned`, `tbb_tbh_after_ldr`)
//! board: cortex-m3
//! cycles: 10 a NOP, a word of flash from an odd address, and two additions, in SRAM
//! cycles: 7 the same in flash, and the word is in SRAM
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`ldr_str_unaligned`, `tbb_tbh_after_ldr`)

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
    ldr r5, =measure
    bic r5, r5, #7
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
    ldr.w r2, [r4, #1]
    add.w r1, r1, #1
    add.w r1, r1, #1
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
    ldr.w r2, [r5, #1]
    add.w r1, r1, #1
    add.w r1, r1, #1
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
