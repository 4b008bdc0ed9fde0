//! A branch that gives its target while it executes waits, in SRAM, for a fetch whose address is given in the same cycle.
//!
//! mark: C
//! evidence: published with `CMEmu`, on a CC2650 (`cbz`, `bx_seq`)
//! board: cortex-m3
//! cycles: 5 CBZ, taken
//! cycles: 5 BX
//! cycles: 3 B asks for its target before it executes
//! mark m4: C
//! evidence m4: published with `CMEmu`, on a CC2652 (`cbz`, `bx_seq`)

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
    .size measure, . - measure
    .ltorg

    .section .data.in_sram, "awx", %progbits
    .balign 8
    .global in_sram
    .type in_sram, %function
in_sram:
    movs r1, #0
    adr.w r2, 2f + 1
    .balign 8
    nop.w
    bkpt
    cbz r1, 1f
    nop.w
    nop.w
    nop.w
    nop.w
    .balign 8
1:
    bkpt

    .balign 8
    nop.w
    bkpt
    bx r2
    nop.w
    nop.w
    nop.w
    nop.w
    .balign 8
2:
    bkpt

    .balign 8
    nop.w
    bkpt
    b 3f
    nop.w
    nop.w
    nop.w
    nop.w
    .balign 8
3:
    bkpt
    ldr r0, =measured
    bx r0
    .size in_sram, . - in_sram
    .ltorg
"#,
    options(raw)
);
