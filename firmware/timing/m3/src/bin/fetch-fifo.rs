//! An instruction starts when all of its halfwords are there. 32-bit instructions at one a cycle keep up with the
//! fetch of a word a cycle; across words they miss one cycle, once, when the first of them was held in decode;
//! after a taken branch, one across words waits for its second word.
//!
//! mark: A
//! evidence: published counts of AES and stream-cipher assembly; Arm KBA 103488664 and DDI 0337 1.2 (three words,
//!   one a cycle); DDI 0337I 3.3.2 for the branch target
//! cycles: 6 six 32-bit instructions, word-aligned
//! cycles: 7 six across words, of which the halt held the first
//! cycles: 13 twelve of them: still one cycle more
//! cycles: 7 six across words behind another instruction
//! cycles: 3 a branch to a 32-bit instruction, word-aligned
//! cycles: 4 a branch to a 32-bit instruction across words
//! cycles: 9 six 32-bit stores across words behind another instruction: each makes room a cycle later
//! cycles: 5 a 16-bit store and three across words: the first of them makes room a cycle later
//! cycles: 4 a 16-bit addition in its place
//! mark m4: A

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
    .balign 4
    nop
    bkpt
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    bkpt
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    bkpt
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    nop
    bkpt
    adds r1, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    bkpt
    b 1f
1:
    add.w r1, r1, #1
    bkpt

    .balign 4
    nop
    bkpt
    b 1f
1:
    add.w r1, r1, #1
    bkpt

    sub r0, sp, #64
    .balign 4
    nop
    bkpt
    movs r1, #1
    str.w r1, [r0]
    str.w r1, [r0]
    str.w r1, [r0]
    str.w r1, [r0]
    str.w r1, [r0]
    str.w r1, [r0]
    bkpt

    .balign 4
    nop
    bkpt
    str r1, [r0]
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    nop
    bkpt
    adds r1, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
