//! A load to PC takes three cycles more than its data: the target is fetched when it is known.
//!
//! mark: A
//! evidence: study 000, row call-return-prologue; DDI 0337I 3.3.2
//! cycles: 5 LDR to PC
//! cycles: 6 POP of one register and PC
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
    adr r1, 1f
    add r1, #1
    str r1, [r0]
    bkpt
    ldr pc, [r0]
    .balign 4
1:
    bkpt

    adr r1, 2f
    add r1, #1
    push {r0, r1}
    bkpt
    pop {r7, pc}
    .balign 4
2:
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
