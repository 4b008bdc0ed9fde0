//! A word moves between the core and the floating-point unit in one cycle, two in two.
//!
//! mark: B
//! evidence: DDI 0439 table 7-1
//! cycles: 1 to the unit
//! cycles: 1 to the core
//! cycles: 4 two and two
//! cycles: 2 VMSR and VMRS
//! cycles: 4 to the core, and an address from it

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
    ldr r0, =scratch
    vmov s3, r0
    .balign 4
    nop
    bkpt
    vmov s0, r1
    bkpt

    .balign 4
    nop
    bkpt
    vmov r1, s0
    bkpt

    .balign 4
    nop
    bkpt
    vmov s0, s1, r1, r2
    vmov r1, r2, s0, s1
    bkpt

    vmrs r1, fpscr
    .balign 4
    nop
    bkpt
    vmsr fpscr, r1
    vmrs r1, fpscr
    bkpt

    .balign 4
    nop
    bkpt
    vmov r1, s3
    ldr.w r2, [r1]
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
