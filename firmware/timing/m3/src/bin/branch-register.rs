//! A branch to a register other than LR fetches its target while it executes: three cycles.
//!
//! mark: A
//! evidence: published with `CMEmu`, on an STM32F100RB
//! cycles: 3 BX
//! cycles: 3 BLX
//! cycles: 3 a move to PC
//! cycles: 2 BX LR, for comparison
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
    adr r0, 1f
    add r0, #1
    nop
    bkpt
    bx r0
    .balign 4
1:
    bkpt

    adr r0, 2f
    add r0, #1
    nop
    bkpt
    blx r0
    .balign 4
2:
    bkpt

    adr r0, 3f
    nop
    bkpt
    mov pc, r0
    .balign 4
3:
    bkpt

    adr r0, 4f
    add lr, r0, #1
    nop
    bkpt
    bx lr
    .balign 4
4:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
