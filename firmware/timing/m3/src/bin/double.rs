//! LDRD and STRD take three cycles and do not overlap.
//!
//! mark: A
//! evidence: study 000, rows refcell-counter and refcell-unchecked
//! cycles: 3 LDRD
//! cycles: 3 STRD
//! cycles: 5 LDRD and a load
//! cycles: 5 a load and LDRD
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
    ldr r0, =scratch
    bkpt
    ldrd r2, r3, [r0]
    bkpt

    bkpt
    strd r2, r3, [r0]
    bkpt

    bkpt
    ldrd r2, r3, [r0]
    ldr r4, [r0]
    bkpt

    bkpt
    ldr r4, [r0]
    ldrd r2, r3, [r0]
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
