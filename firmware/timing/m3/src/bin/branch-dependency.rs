//! A branch to LR asks for its target one cycle later if the instruction right before it wrote LR, also if it is decoded in the cycle
//! behind that one, as in SRAM, where a word is fetched every second cycle.
//!
//! mark: A
//! evidence: published counts of a stream cipher and of AES, where POP or LDR of LR stands right before BX LR
//! cycles: 4 a move to LR and BX LR
//! cycles: 4 with one instruction between
//! cycles: 9 in SRAM, a branch to a move to LR whose BX LR is in the next word
//! cycles: 8 the same with a move to another register
//! mark m4: A
//! evidence m4: published with `CMEmu`, on a CC2652 (`bl_blx_bx_mov_pc_lr`)

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
    adr r0, 1f
    add r0, #1
    bkpt
    mov lr, r0
    bx lr
    .balign 4
1:
    bkpt

    adr r0, 2f
    add r0, #1
    bkpt
    mov lr, r0
    movs r1, #1
    bx lr
    .balign 4
2:
    bkpt

    ldr r0, =in_sram
    bx r0
    .size measure, . - measure
    .ltorg

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    adr r0, 4f
    add r0, #1
    .balign 4
    bkpt
    b 3f
    nop
3:
    mov lr, r0
    bx lr
    .balign 4
4:
    bkpt

    adr r0, 6f
    add r0, #1
    mov lr, r0
    .balign 4
    bkpt
    b 5f
    nop
5:
    mov r1, r0
    bx lr
    .balign 4
6:
    bkpt

    ldr r0, =measured
    bx r0
    .size in_sram, . - in_sram
    .ltorg
"#,
    options(raw)
);
