//! DMB and DSB take one cycle, and wait for a store that is under way.
//!
//! mark: D
//! evidence: DDI 0337I table 3-1 gives a lower bound
//! cycles: 2 DMB and DSB with nothing to wait for
//! cycles: 2 a store and DSB: without wait states the store is over in time
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
    bkpt
    dmb
    dsb
    bkpt

    ldr r0, =scratch
    bkpt
    str r1, [r0]
    dsb
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
