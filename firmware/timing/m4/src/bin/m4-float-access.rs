//! Loads and stores of the floating-point unit are timed as those of the core: single ones as LDR and STR, double ones as LDRD
//! and STRD, several as LDM and STM.
//!
//! mark: B
//! evidence: DDI 0439 table 7-1; the pipeline description of GCC (`cortex-m4-fpu.md`)
//! cycles: 2 VLDR
//! cycles: 3 two of them
//! cycles: 1 VSTR
//! cycles: 3 VLDR of a double register
//! cycles: 3 VSTR of a double register
//! cycles: 5 VPUSH of four single registers
//! cycles: 5 VPOP of two double ones
//! cycles: 3 VLDR and an addition that needs it

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m4 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    ldr r0, =scratch
    .balign 4
    nop
    bkpt
    vldr s0, [r0]
    bkpt

    .balign 4
    nop
    bkpt
    vldr s0, [r0]
    vldr s1, [r0, #4]
    bkpt

    .balign 4
    nop
    bkpt
    vstr s0, [r0]
    bkpt

    .balign 4
    nop
    bkpt
    vldr d0, [r0]
    bkpt

    .balign 4
    nop
    bkpt
    vstr d0, [r0]
    bkpt

    .balign 4
    nop
    bkpt
    vpush {s0-s3}
    bkpt

    .balign 4
    nop
    bkpt
    vpop {d0-d1}
    bkpt

    .balign 4
    nop
    bkpt
    vldr s0, [r0]
    vadd.f32 s1, s0, s0
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
