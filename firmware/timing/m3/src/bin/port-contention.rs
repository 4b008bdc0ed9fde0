//! A load from the memory that instructions come from takes that memory's cycle, and the fetch waits.
//!
//! mark: A
//! evidence: DDI 0337I 3.3.2 advises against it; no published count isolates it
//! cycles: 9 from SRAM: a load of three words from flash, and three 32-bit additions
//! cycles: 10 the same, and the load is from the SRAM too
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
    ldr r0, =in_sram
    bx r0
    .size measure, . - measure
    .ltorg
    .balign 4
in_flash:
    .word 0, 0, 0

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    ldr r0, =in_flash
    .balign 4
    bkpt
    nop
    ldm.w r0, {r4, r5, r6}
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt
    ldr r0, =beside
    .balign 4
    bkpt
    nop
    ldm.w r0, {r4, r5, r6}
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt
    ldr r0, =measured
    bx r0
    .size in_sram, . - in_sram
    .ltorg
    .balign 4
beside:
    .word 0, 0, 0
"#,
    options(raw)
);
