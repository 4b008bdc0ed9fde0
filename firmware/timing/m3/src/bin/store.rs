//! A store takes one cycle, for the write buffer finishes it.
//!
//! mark: A
//! evidence: study 000, row counter; DDI 0337I table 3-1
//! cycles: 1 a word
//! cycles: 3 a word, a halfword, a byte
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
    ldr r0, =scratch
    bkpt
    str r1, [r0]
    bkpt

    bkpt
    str r1, [r0]
    strh r1, [r0, #4]
    strb r1, [r0, #7]
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
