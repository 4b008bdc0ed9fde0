//! A conditional branch fetches its target while it is decoded, though it is not taken: the straight path loses the
//! fetch of a word, which a run of 32-bit instructions misses.
//!
//! mark: A
//! evidence: DDI 0337 1.2; three published AES key schedules and decryptions need it; on a CC2650, published with `CMEmu`
//! cycles: 9 three additions, then six of 32 bits across words
//! cycles: 10 three branches that are not taken in their place
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`bcond`, `misspredicted_branch_sequences`)

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
    cmp r0, r0
    bkpt
    adds r1, #1
    adds r1, #1
    adds r1, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    .balign 4
    cmp r0, r0
    bkpt
    bne 1f
    bne 1f
    bne 1f
1:
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
