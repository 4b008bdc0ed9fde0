//! Code in SRAM is fetched over the system bus, which takes a cycle more for each word.
//!
//! mark: A
//! evidence: DDI 0337 12.5.6; published with `CMEmu`, on an STM32F100RB (`b_seq`, `ldrb_ldrh_ldrsb_ldrsh`, `strd`)
//! cycles: 3 a taken branch
//! cycles: 4 four 16-bit additions, which are two words
//! cycles: 15 a taken branch, six 32-bit additions, and the word of the breakpoint
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
    ldr r0, =in_sram
    bx r0
    .size measure, . - measure
    .ltorg

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    bkpt
    b 1f
    nop
1:
    bkpt

    .balign 4
    nop
    bkpt
    adds r1, #1
    adds r2, #1
    adds r1, #1
    adds r2, #1
    bkpt

    .balign 4
    bkpt
    b 1f
1:
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt
    ldr r0, =measured
    bx r0
    .size in_sram, . - in_sram
    .ltorg
"#,
    options(raw)
);
