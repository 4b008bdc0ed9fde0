//! The words fetched beside the frame of an exception fill the prefetch unit, and the first frees its slot a cycle late: the word that
//! is requested in its place comes 1 cycle later.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`it_curse_svc`, `interrupt_handler_different_mem`)
//! cycles: 16 a store to ISPR; the handler has a NOP and three across words, the last of which ends in the fourth word
//! cycles: 15 a store to ISPR; the handler has two NOPs and two that fill words
//! mark m4: C

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
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    dsb
    bkpt
    str r1, [r0]
    nop
    nop

    lsls r1, r1, #1
    dsb
    bkpt
    str r1, [r0]
    nop
    nop
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global across
    .type across, %function
across:
    nop
    add.w r2, r2, #1
    add.w r2, r2, #1
    add.w r2, r2, #1
    bkpt
    bx lr
    .size across, . - across
    .global IRQ0
    .thumb_set IRQ0, across

    .balign 4
    .global within
    .type within, %function
within:
    nop
    nop
    add.w r2, r2, #1
    add.w r2, r2, #1
    bkpt
    bx lr
    .size within, . - within
    .global IRQ1
    .thumb_set IRQ1, within
"#,
    options(raw)
);
