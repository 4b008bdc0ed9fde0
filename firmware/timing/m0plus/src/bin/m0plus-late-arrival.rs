//! A more urgent interrupt that comes while the frame of another is stacked takes over the entry at no cost; the
//! other is tail-chained after it.
//!
//! mark: D
//! evidence: DDI 0484C 3.6.1 (that it is); inference (how long it takes)
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! raise: irq = 1, after = "bkpt:1", delay = 7
//! cycles: 19 from 4 cycles before the first interrupt to the handler of the second, which came 3 cycles after it
//! cycles: 5 from the end of that handler to the other's
//! mark m0: D
//! evidence m0: DDI 0432C 3.6 (that it is); inference (how long it takes)
//! cycles m0: 20 from 4 cycles before the first interrupt to the handler of the second, which came 3 cycles after it
//! cycles m0: 6 from the end of that handler to the other's

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
    .global urgent
    .type urgent, %function
urgent:
    bkpt
    bkpt
    bx lr
    .size urgent, . - urgent
    .global IRQ1
    .thumb_set IRQ1, urgent

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
