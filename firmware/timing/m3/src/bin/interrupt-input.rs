//! From the rise of an interrupt input to the first instruction of the handler: 12 cycles.
//!
//! mark: B
//! evidence: DDI 0337 5.3 (figure 5-2)
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! cycles: 16 4 cycles of NOP, then the interrupt
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
