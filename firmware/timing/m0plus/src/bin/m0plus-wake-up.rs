//! WFI ends as soon as the core sees the interrupt; the entry then takes what it always takes.
//!
//! mark: D
//! evidence: inference: no published figure
//! raise: irq = 0, after = "bkpt:1", delay = 20
//! cycles: 35 20 cycles of sleep, then the interrupt
//! mark m0: D
//! cycles m0: 36 20 cycles of sleep, then the interrupt

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
    bkpt
    wfi
    nop
    nop

    bl measured
    .size measure, . - measure

    .balign 4
    .global handler
    .type handler, %function
handler:
    bkpt
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
"#,
    options(raw)
);
