//! Where writes are not buffered, STRD, STM and PUSH right after a single store wait one cycle for its data phase; a single
//! store executes in it.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`strd_str_pipelining`)
//! board: firmware/timing/m3/unbuffered.toml
//! cycles: 5 a store and STRD
//! cycles: 4 a store and STM of one
//! cycles: 3 two stores
//! cycles: 4 an instruction between takes the cycle
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`strd_str_pipelining`)
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
    add r4, r0, #16
    bkpt
    str r1, [r0]
    strd r2, r3, [r0, #8]
    bkpt

    bkpt
    str r1, [r0]
    stm r4!, {r1}
    bkpt

    bkpt
    str r1, [r0]
    str r2, [r0, #4]
    bkpt

    bkpt
    str r1, [r0]
    nop
    stm r4!, {r1}
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
