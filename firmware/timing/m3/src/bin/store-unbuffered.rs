//! Where writes are not buffered, a store has two cycles, address and data; another store, or a NOP, executes in the second.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`mov_ldr_str_deps`, `mov_str_imm_deps`)
//! board: firmware/timing/m3/unbuffered.toml
//! cycles: 3 a store and an addition
//! cycles: 3 two stores
//! cycles: 2 a store and a NOP
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`mov_ldr_str_deps`)
//! board m4: firmware/timing/m4/unbuffered.toml

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
    movs r1, #0
    bkpt
    str r1, [r0]
    adds r2, #1
    bkpt

    bkpt
    str r1, [r0]
    str r1, [r0, #4]
    bkpt

    bkpt
    str r1, [r0]
    nop
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
