//! The address of a single load overlaps with the data of the load before it: N loads take N + 1 cycles. Not if the
//! address needs that data, nor if the second load moves its base.
//!
//! mark: A
//! evidence: DDI 0337I 3.3.2; published counts of table-based AES rest on it
//! cycles: 3 two loads
//! cycles: 5 four loads
//! cycles: 4 the second address is the first load's data
//! cycles: 4 the second moves its base
//! cycles: 3 the first moves its base
//! mark m4: A
//! cycles m4: 3 two loads
//! cycles m4: 5 four loads
//! cycles m4: 4 the second address is the first load's data
//! cycles m4: 3 the second moves its base
//! cycles m4: 3 the first moves its base

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
    ldr r0, =scratch
    bkpt
    ldr r1, [r0]
    ldr r2, [r0, #4]
    bkpt

    bkpt
    ldr r1, [r0]
    ldr r2, [r0, #4]
    ldr r3, [r0, #8]
    ldr r4, [r0, #12]
    bkpt

    str r0, [r0]
    bkpt
    ldr r1, [r0]
    ldr r2, [r1]
    bkpt

    mov r4, r0
    bkpt
    ldr r1, [r0]
    ldr r2, [r4], #4
    bkpt

    mov r4, r0
    bkpt
    ldr r1, [r4], #4
    ldr r2, [r0]
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
