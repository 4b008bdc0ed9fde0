//! From the rise of an interrupt input to the first instruction of the handler: 15 cycles, on the Cortex-M0 16.
//!
//! mark: B
//! evidence: DDI 0484C 3.6.1 (15 cycles from the input)
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! cycles: 19 4 cycles of NOP, then the interrupt
//! mark m0: B
//! evidence m0: DDI 0432C 3.6 (16 cycles from the input)
//! cycles m0: 20 4 cycles of NOP, then the interrupt

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
    .rept 20
    nop
    .endr

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
