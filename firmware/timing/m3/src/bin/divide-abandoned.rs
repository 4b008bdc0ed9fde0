//! An interrupt does not wait for a division: it is abandoned, and starts again afterwards.
//!
//! mark: B
//! evidence: DDI 0337I 3.3.1
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! cycles: 16 the division starts 1 cycle before the interrupt
//! cycles: 22 from the end of the handler to that of the division
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
    mvn r1, #0
    movs r2, #1
    bkpt
    nop
    nop
    nop
    udiv r3, r1, r2
    bkpt
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global handler
    .type handler, %function
handler:
    bkpt
    bkpt
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
"#,
    options(raw)
);
