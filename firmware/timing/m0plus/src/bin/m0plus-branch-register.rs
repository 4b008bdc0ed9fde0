//! BX, BLX and MOV to PC take 1 cycle and a refill of 1; on the Cortex-M0 of 2.
//!
//! mark: A
//! evidence: DDI 0484C table 3-1; 13 published counts of Curve9767 assembly on an ATSAMD20J18
//! cycles: 2 BX
//! cycles: 2 BLX
//! cycles: 2 MOV to PC
//! mark m0: A
//! evidence m0: DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0
//! cycles m0: 3 BX
//! cycles m0: 3 BLX
//! cycles m0: 3 MOV to PC

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
    ldr r1, =1f + 1
    ldr r2, =2f + 1
    ldr r3, =3f + 1

    bkpt
    bx r1
    nop
    .balign 4
1:
    bkpt

    bkpt
    blx r2
    nop
    .balign 4
2:
    bkpt

    bkpt
    mov pc, r3
    nop
    .balign 4
3:
    bkpt

    bl measured
    .size measure, . - measure
    .ltorg
"#,
    options(raw)
);
