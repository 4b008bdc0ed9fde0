//! LDM, STM, PUSH and POP of N registers take 1 + N cycles.
//!
//! mark: A
//! evidence: study 000, rows call-entry-prologue and preempt-entry-prologue
//! cycles: 2 PUSH of one
//! cycles: 2 POP of one
//! cycles: 5 STM of four
//! cycles: 5 LDM of four
//! cycles: 9 PUSH of eight
//! cycles: 9 POP of eight
//! mark m4: A

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
    bkpt
    push {r4}
    bkpt

    bkpt
    pop {r4}
    bkpt

    ldr r0, =scratch
    bkpt
    stmia r0, {r1-r4}
    bkpt

    bkpt
    ldmia r0, {r1-r4}
    bkpt

    bkpt
    push {r4-r11}
    bkpt

    bkpt
    pop {r4-r11}
    bkpt

    b measured
    .size measure, . - measure
    .ltorg

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
