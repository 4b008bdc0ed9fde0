//! An interrupt does not wait for LDM: the transfer under way is finished, and the instruction starts again
//! afterwards.
//!
//! mark: B
//! evidence: DDI 0484C 3.6.1
//! raise: irq = 0, after = "bkpt:1", delay = 2
//! cycles: 19 a load of six words starts 1 cycle before the interrupt, which is seen 3 later; the word of that cycle is its last
//! cycles: 18 from the end of the handler to that of the load
//! mark m0: B
//! evidence m0: DDI 0432C 3.6
//! cycles m0: 20 a load of six words starts 1 cycle before the interrupt, which is seen 3 later; the word of that cycle is its last
//! cycles m0: 19 from the end of the handler to that of the load

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
    ldr r0, =scratch
    bkpt
    nop
    ldmia r0!, {r2-r7}
    bkpt

    bl measured
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
