//! POP to PC fetches its target when the data is there: 3 + N cycles for N registers, on the Cortex-M0 4 + N.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 4 POP of PC alone
//! cycles: 6 POP of two registers and PC
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0
//! cycles m0: 5 POP of PC alone
//! cycles m0: 7 POP of two registers and PC

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m0plus as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r3, =2f + 1
    push {r3}
    push {r4, r5}
    ldr r3, =1f + 1
    push {r3}

    bkpt
    pop {pc}
    nop
    .balign 4
1:
    bkpt

    bkpt
    pop {r4, r5, pc}
    nop
    .balign 4
2:
    bkpt

    bl measured
    .size measure, . - measure
    .ltorg
"#,
    options(raw)
);
