//! Fetches of an exception over the system bus go before the words of the frame, and cost it 2 cycles each: with its vector
//! in SRAM an entry takes 2 cycles more, with vector and handler 8.
//!
//! mark: A
//! evidence: published with `CMEmu`, on a CC2650 (`interrupt_handler_different_mem`)
//! cycles: 13 a store to ISPR, the vector in SRAM
//! cycles: 19 vector and handler in SRAM
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
    ldr r0, =__vector_table
    ldr r1, =table
    movs r2, #32
1:
    ldr r3, [r0], #4
    str r3, [r1], #4
    subs r2, #1
    bne 1b
    ldr r0, =0xe000ed08  @ SCB_VTOR
    ldr r6, =table
    str r6, [r0]
    ldr r0, =0xe000e200  @ NVIC_ISPR0
    movs r1, #1
    dsb
    bkpt
    str r1, [r0]
    nop
    nop

    ldr r2, =in_sram
    str r2, [r6, #64]
    dsb
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

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    bkpt
    bx lr
    .size in_sram, . - in_sram

    .section .bss.table, "aw", %nobits
    .balign 512
    .global table
    .type table, %object
table:
    .skip 128
    .size table, 128
"#,
    options(raw)
);
