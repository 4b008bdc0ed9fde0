//! Behind a jump one of the three words is free a cycle later, so that the third or the fourth word may come late.
//!
//! mark: C
//! evidence: compendium.i-0.nl (groups of unaligned instructions behind a call); published counts of Curve9767 on an STM32F407
//! cycles: 7 B to a 16-bit addition and three across words: the fourth word is late
//! cycles: 5 the same with two across words
//! cycles: 7 B to three across words: the fourth word is late
//! cycles: 10 POP of PC, to the second half of a word: two additions, and one across words, whose end is in the third word

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
    .balign 4
    bkpt
    b 1f
1:
    adds r1, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    bkpt
    b 1f
1:
    adds r1, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    bkpt

    .balign 4
    nop
    bkpt
    b 1f
1:
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    adr.w r1, 1f
    add r1, #1
    push {r0, r1}
    bkpt
    pop {r7, pc}
    .balign 4
    nop
1:
    adds r0, #1
    adds r1, #1
    add.w r2, r2, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
