//! A store to the NVIC takes effect two cycles after its address phase, so that the instruction after it may still
//! execute.
//!
//! mark: A
//! evidence: study 000, row preempt-entry for the cycles; the stacked return address in its section on memory for
//!   the instruction
//! cycles: 11 one instruction follows the store, and executes first
//! cycles: 3 and has: CBNZ, taken because of it
//! mark m4: C

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
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    movs r2, #0
    bkpt
    str r1, [r0]
    movs r2, #1
    nop
    nop
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global handler
    .type handler, %function
handler:
    bkpt
    bkpt
    cbnz r2, 1f
    nop
    nop
    nop
1:
    bkpt
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
"#,
    options(raw)
);
