//! A NOP right after a load executes in the load's second cycle, and so does an instruction whose IT condition fails;
//! only one, and no other instruction.
//!
//! mark: A
//! evidence: study 000, row cyccnt-read
//! cycles: 2 a load and a NOP
//! cycles: 3 a load and two NOPs
//! cycles: 3 a load and a move
//! cycles: 4 a load, a NOP and a load: these two do not overlap
//! cycles: 4 a comparison, IT that is folded, a load, and one that fails
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
    ldr r1, [r0]
    nop
    bkpt

    bkpt
    ldr r1, [r0]
    nop
    nop
    bkpt

    bkpt
    ldr r1, [r0]
    movs r2, #1
    bkpt

    bkpt
    ldr r1, [r0]
    nop
    ldr r2, [r0]
    bkpt

    bkpt
    cmp r0, r0
    ite eq
    ldreq r1, [r0]
    addne r2, #1
    nop
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
