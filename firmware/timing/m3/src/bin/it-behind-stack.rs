//! IT is not decoded together with an instruction that writes SP, or compares SP with a register.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`it_fold`); not on an STM32F100RB
//! board: cortex-m3
//! cycles: 3 a comparison of SP with a register, IT, and the instruction under it
//! cycles: 2 a comparison of a register with SP, IT, and the instruction under it
//! cycles: 3 ADD to SP, IT, and the instruction under it
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`it_fold`)

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
    mov r0, sp
    .balign 4
    nop
    bkpt
    cmp sp, r0
    it eq
    addeq r1, #1
    bkpt

    .balign 4
    nop
    bkpt
    cmp r0, sp
    it eq
    addeq r1, #1
    bkpt

    .balign 4
    nop
    bkpt
    add sp, #4
    it eq
    addeq r1, #1
    bkpt
    sub sp, #4

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
