//! An interrupt does not wait for the multiplication of 32 cycles: it is abandoned, and starts again afterwards.
//!
//! mark: B
//! evidence: DDI 0484C 3.6.1
//! raise: irq = 0, after = "bkpt:1", delay = 4
//! board: firmware/timing/m0plus/slow.toml
//! board m0: firmware/timing/m0plus/slow-m0.toml
//! cycles: 27 the multiplication starts 1 cycle before the interrupt; stacking meets 8 wait states
//! cycles: 51 from the end of the handler to that of the multiplication
//! mark m0: B
//! evidence m0: DDI 0432C 3.6
//! cycles m0: 28 the multiplication starts 1 cycle before the interrupt; stacking meets 8 wait states
//! cycles m0: 52 from the end of the handler to that of the multiplication

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
    nop
    nop
    nop
    muls r1, r2, r1
    bkpt

    bl measured
    .size measure, . - measure

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
