//! A load right behind STM, PUSH or STRD waits one cycle, as behind a store.
//!
//! mark: D
//! evidence: inferred from store-then-load
//! cycles: 6 STM of two and a load
//! cycles: 6 STRD and a load

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
    stmia r0, {r1, r2}
    ldr r3, [r0]
    bkpt

    bkpt
    strd r1, r2, [r0]
    ldr r3, [r0]
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
