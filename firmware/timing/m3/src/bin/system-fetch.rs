//! Code in SRAM is fetched over the system bus, which takes a cycle more for each word. A jump there from code in flash waits until a
//! word that is under way has arrived.
//!
//! mark: A
//! evidence: DDI 0337 12.5.6; published with `CMEmu`, on an STM32F100RB (`b_seq`, `ldrb_ldrh_ldrsb_ldrsh`, `strd`, `bx_seq_memory_types`)
//! cycles: 3 a taken branch
//! cycles: 4 four 16-bit additions, which are two words
//! cycles: 15 a taken branch, six 32-bit additions, and the word of the breakpoint
//! cycles: 9 a jump to flash, and back at once
//! cycles: 9 the same with an addition before the jump back
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
    ldr r0, =in_sram
    bx r0
    .balign 8
in_flash:
    bx r1
    nop
    nop
    .balign 8
adding_in_flash:
    adds r2, #1
    bx r1
    .size measure, . - measure
    .ltorg

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    bkpt
    b 1f
    nop
1:
    bkpt

    .balign 4
    nop
    bkpt
    adds r1, #1
    adds r2, #1
    adds r1, #1
    adds r2, #1
    bkpt

    .balign 4
    bkpt
    b 1f
1:
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    add.w r1, r1, #1
    add.w r2, r2, #1
    add.w r3, r3, #1
    bkpt

    ldr r0, =in_flash + 1
    adr r1, 2f
    add r1, #1
    .balign 4
    bkpt
    bx r0
    .balign 4
2:
    bkpt

    ldr r0, =adding_in_flash + 1
    adr r1, 3f
    add r1, #1
    .balign 4
    bkpt
    bx r0
    .balign 4
3:
    bkpt
    ldr r0, =measured
    bx r0
    .size in_sram, . - in_sram
    .ltorg
"#,
    options(raw)
);
