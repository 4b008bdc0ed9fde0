//! The slot of an instruction that waits for its address is free only for a fetch requested in the cycle in which it was decoded.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`tbb_tbh_after_ldr`, `ldr_ldm_ldmdb_ldrd_deps`)
//! board: cortex-m3
//! cycles: 8 a load, an addition, a load from the sum, and three across words: the word of the last of them is asked for late
//! cycles: 7 the same, and the load needs no sum: it is there in time
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`tbb_tbh_after_ldr`)

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
    ldr r2, =scratch
    .balign 8
    bkpt
    ldr r1, [r0]
    add.w r0, r0, #0
    ldr.w r1, [r0]
    nop.w
    nop.w
    nop.w
    bkpt

    .balign 8
    bkpt
    ldr r1, [r0]
    add.w r0, r0, #0
    ldr.w r1, [r2]
    nop.w
    nop.w
    nop.w
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
