//! Each further bus transfer of an unaligned access takes a cycle: one for a halfword or a word at an even address,
//! two for a word at an odd one.
//!
//! mark: A
//! evidence: DDI 0337I 3.3.2; 471 accesses, published with `CMEmu`, on an STM32F100RB
//! cycles: 3 a word at 2 mod 4
//! cycles: 4 a word at 1 mod 4
//! cycles: 3 a halfword at 3 mod 4
//! cycles: 2 a halfword at 2 mod 4 is aligned
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
    ldr r0, =scratch
    bkpt
    ldr r1, [r0, #2]
    bkpt

    bkpt
    ldr r1, [r0, #1]
    bkpt

    bkpt
    ldrh r1, [r0, #3]
    bkpt

    bkpt
    ldrh r1, [r0, #2]
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
