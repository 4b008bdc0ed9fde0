//! An interrupt does not wait for LDM: the transfer under way is finished, the others follow afterwards.
//!
//! mark: B
//! evidence: DDI 0337I 3.3.1; ARMv7-M ARM B1.5.10
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! cycles: 18 a load of eight words starts 3 cycles before the interrupt, which is seen 3 later; its word is then still to come
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
    ldr r12, =scratch
    bkpt
    nop
    ldmia r12, {r2-r9}
    nop
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

    .section .bss.scratch, "aw", %nobits
    .balign 8
    .global scratch
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
"#,
    options(raw)
);
