//! LDM, STM, PUSH and POP of N registers take 1 + N cycles.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 2 PUSH of one
//! cycles: 2 POP of one
//! cycles: 5 STM of four
//! cycles: 5 LDM of four
//! cycles: 9 PUSH of eight
//! cycles: 9 POP of eight
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0

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
    ldr r0, =scratch

    bkpt
    push {r4}
    bkpt

    bkpt
    pop {r4}
    bkpt

    bkpt
    stmia r0!, {r1-r4}
    bkpt

    bkpt
    ldmia r0!, {r1-r4}
    bkpt

    bkpt
    push {r0-r7}
    bkpt

    bkpt
    pop {r0-r7}
    bkpt

    bl measured
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
