//! The instruction table as far as ARMv6-M goes: what an instruction costs in front of one that does not need it, and
//! (`…_use`) in front of one that does. `filler` and `consumer` are the code that follows in both, to be subtracted.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(include_str!("../../../macros.s"), options(raw));

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    function measure
    ldr r4, =scratch
    ldr r0, =0x12345678
    ldr r1, =0x9abcdef0

    from filler
    filler
    to filler

    from consumer
    adds r2, r3, #1
    filler
    to consumer

    from add
    adds r2, r0, r1
    filler
    to add

    from add_use
    adds r2, r0, r1
    adds r2, r2, #1
    filler
    to add_use

    from mul
    muls r0, r1, r0
    filler
    to mul

    from mul_use
    muls r0, r1, r0
    adds r2, r0, #1
    filler
    to mul_use

    from ldr
    ldr r2, [r4]
    filler
    to ldr

    from ldr_use
    ldr r2, [r4]
    adds r2, r2, #1
    filler
    to ldr_use

    from str
    str r2, [r4]
    filler
    to str

    bl measured
    .ltorg
    .size measure, . - measure

    .section .bss.scratch, "aw", %nobits
    .balign 16
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
"#,
    options(raw)
);
