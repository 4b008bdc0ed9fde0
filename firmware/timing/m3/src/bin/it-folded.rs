//! Right after a 16-bit data-processing instruction other than MUL, or a NOP, IT takes no cycle if it is there when that one is decoded.
//!
//! mark: A
//! evidence: published AES key schedules; published with `CMEmu`, on an STM32F100RB
//! cycles: 2 a comparison, IT, and the instruction under it
//! cycles: 3 MUL, IT, and the instruction under it
//! cycles: 5 a jump to a comparison in the second half of a word, IT in the next one, and the instruction under it
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
    cmp r0, r0
    it eq
    addeq r1, #1
    bkpt

    cmp r0, r0
    bkpt
    mul r2, r1, r2
    it eq
    addeq r1, #1
    bkpt

    bkpt
    b 2f
    .balign 8
    nop
2:
    cmp r0, r0
    it eq
    addeq r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
