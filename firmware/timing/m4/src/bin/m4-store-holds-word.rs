//! What stands right behind a single store makes room for another word a cycle later, which a run of 32-bit instructions
//! across words notices.
//!
//! mark: D
//! evidence: IACR eprint 2025/523 and `jnk0le/random` describe such runs; inference
//! cycles: 7 a 16-bit store and five 32-bit instructions across words
//! cycles: 6 the same behind a 16-bit addition

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m4 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =scratch
    .balign 4
    nop
    bkpt
    nop.w
    str r1, [r0]
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    bkpt

    .balign 4
    nop
    bkpt
    nop.w
    adds r1, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
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
