//! A move to PC fetches its target while it executes: three cycles.
//!
//! mark: D
//! evidence: DDI 0337 1.4: branch forwarding is for branches
//! cycles: 3 a move to PC

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
    nop
    bkpt
    mov pc, r0
    .balign 4
1:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
