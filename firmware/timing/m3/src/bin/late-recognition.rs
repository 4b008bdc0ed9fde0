//! Where writes are not buffered, the exception logic sees later what a store to the NVIC, SVC or SysTick raises.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`interrupt_handler_different_mem`, `stir`, `nmi`, `systick_exc`, `it_curse_svc`)
//! board: firmware/timing/m3/unbuffered.toml
//! cycles: 13 a store to ISPR: two instructions follow, and execute first
//! cycles: 12 SVC
//! cycles: 19 SysTick is switched on with a reload value of 4
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
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    bkpt
    str r1, [r0]
    nop
    nop
    nop
    nop

    bkpt
    svc #0

    ldr r0, =0xe000e010  @ SYST_CSR
    movs r1, #4
    str r1, [r0, #4]
    str r1, [r0, #8]
    movs r1, #7
    bkpt
    str r1, [r0]
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
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
    ldr r0, =0xe000e010
    movs r1, #0
    str r1, [r0]
    bx lr
    .size handler, . - handler
    .global IRQ0
    .thumb_set IRQ0, handler
    .global SVCall
    .thumb_set SVCall, handler
    .global SysTick
    .thumb_set SysTick, handler
    .ltorg
"#,
    options(raw)
);
