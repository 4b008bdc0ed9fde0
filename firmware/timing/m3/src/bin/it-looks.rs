//! A NOP takes its cycle after a store with a register offset if an IT is in the slot of the halfword after it, which is not there
//! yet: the prefetch unit's three places are written in turn, and nothing erases them.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`it_curse_svc`)
//! board: firmware/timing/m3/slow-flash.toml
//! cycles: 10 a branch to an IT, what it skips, an addition, a store with a register offset, a NOP at the end of the third word
//! cycles: 9 the same with a NOP for the IT
//! mark m4: C
//! board m4: firmware/timing/m4/slow-flash.toml

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
    movs r2, #0
    .balign 4
    bkpt
    b 1f
    .balign 4
1:
    it ne
    movne r1, r1
    add.w r1, r1, #0
    str r1, [r0, r2]
    nop
    bkpt

    .balign 4
    bkpt
    b 2f
    .balign 4
2:
    nop
    mov r1, r1
    add.w r1, r1, #0
    str r1, [r0, r2]
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
