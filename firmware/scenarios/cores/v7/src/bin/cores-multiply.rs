//! The multiplications of ARMv7-M: what each costs in front of an instruction that does not need it, and (`…_use`) in
//! front of one that does. `filler` and `consumer` are the code that follows in both, to be subtracted. `…_short` has a
//! factor that is 0.

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
    movs r5, #0
    movs r6, #0

    from filler
    filler
    to filler

    from consumer
    adds r2, r3, #1
    filler
    to consumer

    from mul
    mul r2, r0, r1
    filler
    to mul

    from mul_use
    mul r2, r0, r1
    adds r2, r2, #1
    filler
    to mul_use

    from mla
    mla r2, r0, r1, r3
    filler
    to mla

    from mla_use
    mla r2, r0, r1, r3
    adds r2, r2, #1
    filler
    to mla_use

    from mls
    mls r2, r0, r1, r3
    filler
    to mls

    from mls_use
    mls r2, r0, r1, r3
    adds r2, r2, #1
    filler
    to mls_use

    from umull
    umull r2, r3, r0, r1
    filler
    to umull

    from umull_use
    umull r2, r3, r0, r1
    adds r2, r2, #1
    filler
    to umull_use

    from smull
    smull r2, r3, r0, r1
    filler
    to smull

    from smull_use
    smull r2, r3, r0, r1
    adds r2, r2, #1
    filler
    to smull_use

    from umlal
    umlal r2, r3, r0, r1
    filler
    to umlal

    from umlal_use
    umlal r2, r3, r0, r1
    adds r2, r2, #1
    filler
    to umlal_use

    from smlal
    smlal r2, r3, r0, r1
    filler
    to smlal

    from smlal_use
    smlal r2, r3, r0, r1
    adds r2, r2, #1
    filler
    to smlal_use

    from umull_short
    umull r2, r3, r5, r0
    filler
    to umull_short

    from umull_short_use
    umull r2, r3, r5, r0
    adds r2, r2, #1
    filler
    to umull_short_use

    from umlal_short
    umlal r2, r3, r5, r0
    filler
    to umlal_short

    from umlal_short_use
    umlal r2, r3, r5, r0
    adds r2, r2, #1
    filler
    to umlal_short_use
    bl measured
    .ltorg
    .size measure, . - measure

    .section .bss.scratch, "aw", %nobits
    .balign 16
    .type scratch, %object
scratch:
    .skip 256
    .size scratch, 256
"#,
    options(raw)
);
