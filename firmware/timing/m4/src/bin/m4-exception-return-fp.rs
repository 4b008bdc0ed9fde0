//! From the last instruction of a handler back to code that uses floating-point registers: as ever if they were never
//! saved, and 17 cycles more if they were.
//!
//! mark: D
//! evidence: as many words are unstacked as stacked
//! cycles: 10 nothing was saved
//! cycles: 27 the handler used the registers

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m4 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    vmov.f32 s0, #1.0
    str r1, [r0]
    bkpt

    lsls r1, r1, #1
    str r1, [r0]
    bkpt
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global idle
    .type idle, %function
idle:
    bkpt
    bx lr
    .size idle, . - idle
    .global IRQ0
    .thumb_set IRQ0, idle

    .balign 4
    .global user
    .type user, %function
user:
    vmov.f32 s0, #2.0
    bkpt
    bx lr
    .size user, . - user
    .global IRQ1
    .thumb_set IRQ1, user
"#,
    options(raw)
);
