//! A data-processing instruction takes one cycle, whatever it does.
//!
//! mark: A
//! evidence: study 000, every row is a sum that needs it; DDI 0337I table 3-1
//! cycles: 1 one addition
//! cycles: 6 shift, move, bit field, multiplication, 16 and 32 bits wide
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
    bkpt
    adds r1, #1
    bkpt

    movs r1, #3
    movs r2, #5
    bkpt
    lsls r1, r1, #2
    movw r3, #0x1234
    movt r3, #0x5678
    ubfx r3, r3, #4, #8
    muls r2, r1, r2
    clz r3, r3
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
