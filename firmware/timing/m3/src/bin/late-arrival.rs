//! A more urgent interrupt that comes while the frame of another is stacked takes over the entry at no cost; the
//! other is tail-chained after it.
//!
//! mark: B
//! evidence: DDI 0337 5.3 and 5.7.2
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! raise: irq = 1, after = "bkpt:1", delay = 7
//! cycles: 16 from 4 cycles before the first interrupt to the handler of the second, which came 3 cycles after it
//! cycles: 6 from the end of that handler to the other's
//! mark m4: B

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
    .rept 20
    nop
    .endr
    b measured
    .size measure, . - measure
    .ltorg

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
