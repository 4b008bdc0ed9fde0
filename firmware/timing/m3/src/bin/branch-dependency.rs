//! A branch to LR asks for its target one cycle later if the instruction right before it wrote LR.
//!
//! mark: A
//! evidence: published counts of a stream cipher and of AES, where POP or LDR of LR stands right before BX LR
//! cycles: 4 a move to LR and BX LR
//! cycles: 4 with one instruction between
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

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
