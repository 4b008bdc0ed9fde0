//! An interrupt held back by PRIMASK or BASEPRI enters when the mask falls: 1 cycle for the instruction, 9 for
//! the entry.
//!
//! mark: D
//! evidence: DAI 0321A 4.8 says what is seen when, not the cycles
//! cycles: 10 CPSIE
//! cycles: 10 MSR BASEPRI
//! mark m4: D

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
    cpsid i
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    str r1, [r0]
    nop
    nop
    bkpt
    cpsie i
    nop
    nop

    movs r2, #0x40
    msr BASEPRI, r2
    movs r2, #0
    str r1, [r0]
    nop
    nop
    bkpt
    msr BASEPRI, r2
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
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
"#,
    options(raw)
);
