//! IT takes one cycle where it is not folded: after an instruction of 32 bits, say.
//!
//! mark: A
//! evidence: DDI 0337I table 3-1; published with `CMEmu`, on an STM32F100RB
//! cycles: 3 an addition of 32 bits, IT, and the instruction under it
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
    cmp r0, r0
    bkpt
    add.w r1, r1, #1
    it eq
    addeq r1, #1
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
