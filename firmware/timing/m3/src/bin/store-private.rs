//! Where writes are not buffered, a store to the private peripheral bus has two cycles, as a load has, and what overlaps with
//! a load overlaps with it.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`systick_registers`, `interrupts_priorities`,
//!   `interrupts_enable_pending_registers`)
//! board: firmware/timing/m3/unbuffered.toml
//! cycles: 3 a store and an addition
//! cycles: 3 two stores
//! cycles: 3 a store and a load
//! mark m4: C
//! board m4: firmware/timing/m4/unbuffered.toml

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
    ldr r0, =0xe000e400  @ NVIC_IPR0
    movs r1, #0
    bkpt
    str r1, [r0]
    adds r2, #1
    bkpt

    bkpt
    str r1, [r0]
    str r1, [r0, #4]
    bkpt

    bkpt
    str r1, [r0]
    ldr r2, [r0, #4]
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
