//! An addition to PC fetches its target when its sum is there: four cycles.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB
//! cycles: 4 ADD PC
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
    movs r0, #0
    nop
    bkpt
    add pc, r0
    nop
1:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
