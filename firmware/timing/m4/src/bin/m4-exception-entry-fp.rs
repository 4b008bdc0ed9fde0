//! From the store that makes an interrupt pending to the first instruction of its handler, when the code that is left
//! uses floating-point registers: as ever if they are only to be saved later, and 17 cycles more if they are saved at once.
//!
//! mark: B
//! evidence: Arm AN298: 12 cycles from the input with lazy stacking, 29 without
//! cycles: 11 room for the registers is reserved
//! cycles: 28 S0 to S15 and FPSCR are stacked

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
    ldr r2, =0xe000ef34  @ FPCCR
    mov r3, #0x80000000  @ ASPEN without LSPEN
    vmov.f32 s0, #1.0
    bkpt
    str r1, [r0]
    nop
    nop

    str r3, [r2]
    dsb
    isb
    bkpt
    str r1, [r0]
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
