//! From the last instruction of a handler back to the code that it interrupted: 10 cycles, and 3 more when the
//! return address is popped together with another register.
//!
//! mark: A
//! evidence: study 000, rows preempt-exit and preempt-exit-prologue
//! cycles: 10 BX LR
//! cycles: 13 POP of two
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
    str r1, [r0]
    bkpt

    lsls r1, r1, #1
    str r1, [r0]
    bkpt
    b measured
    .size measure, . - measure
    .ltorg

    .balign 4
    .global leaf
    .type leaf, %function
leaf:
    bkpt
    bx lr
    .size leaf, . - leaf
    .global IRQ0
    .thumb_set IRQ0, leaf

    .balign 4
    .global frame
    .type frame, %function
frame:
    push {r7, lr}
    bkpt
    pop {r7, pc}
    .size frame, . - frame
    .global IRQ1
    .thumb_set IRQ1, frame
"#,
    options(raw)
);
