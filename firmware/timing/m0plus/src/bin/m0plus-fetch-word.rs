//! Instructions come by aligned words, each requested when the first halfword of the word before it moves to the
//! execute stage: of straight code, every wait state of a fetch is seen.
//!
//! mark: D
//! evidence: inference; without prefetch at 1 wait state about 45 % are published for an STM32F0, and this gives 39 % to 42 %
//! board: firmware/timing/m0plus/slow-flash.toml
//! board m0: firmware/timing/m0plus/slow-flash-m0.toml
//! cycles: 12 eight MOVS from an aligned one on, and what follows, at 1 wait state
//! mark m0: D

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m0plus as _;

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
    movs r1, #1
    movs r1, #1
    movs r1, #1
    movs r1, #1
    movs r1, #1
    movs r1, #1
    movs r1, #1
    movs r1, #1
    bkpt

    bl measured
    .size measure, . - measure
"#,
    options(raw)
);
