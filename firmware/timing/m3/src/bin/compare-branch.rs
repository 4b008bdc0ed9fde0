//! CBZ and CBNZ fetch their target while they execute: three cycles if taken.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB
//! cycles: 3 CBZ
//! cycles: 3 CBNZ
//! cycles: 1 CBNZ that is not taken
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
    movs r1, #0
    bkpt
    cbz r1, 1f
    nop
1:
    bkpt

    movs r1, #1
    bkpt
    cbnz r1, 2f
    nop
2:
    bkpt

    movs r1, #0
    bkpt
    cbnz r1, 3f
3:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
