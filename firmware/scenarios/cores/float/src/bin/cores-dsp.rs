//! The DSP instructions, one of each class: what each costs in front of an instruction that does not need it, and
//! (`…_use`) in front of one that does.

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

    from smulbb
    smulbb r2, r0, r1
    filler
    to smulbb

    from smulbb_use
    smulbb r2, r0, r1
    adds r2, r2, #1
    filler
    to smulbb_use

    from smlabb
    smlabb r2, r0, r1, r3
    filler
    to smlabb

    from smlabb_use
    smlabb r2, r0, r1, r3
    adds r2, r2, #1
    filler
    to smlabb_use

    from smuad
    smuad r2, r0, r1
    filler
    to smuad

    from smuad_use
    smuad r2, r0, r1
    adds r2, r2, #1
    filler
    to smuad_use

    from smlad
    smlad r2, r0, r1, r3
    filler
    to smlad

    from smlad_use
    smlad r2, r0, r1, r3
    adds r2, r2, #1
    filler
    to smlad_use

    from smlald
    smlald r2, r3, r0, r1
    filler
    to smlald

    from smlald_use
    smlald r2, r3, r0, r1
    adds r2, r2, #1
    filler
    to smlald_use

    from smmul
    smmul r2, r0, r1
    filler
    to smmul

    from smmul_use
    smmul r2, r0, r1
    adds r2, r2, #1
    filler
    to smmul_use

    from smmla
    smmla r2, r0, r1, r3
    filler
    to smmla

    from smmla_use
    smmla r2, r0, r1, r3
    adds r2, r2, #1
    filler
    to smmla_use

    from umaal
    umaal r2, r3, r0, r1
    filler
    to umaal

    from umaal_use
    umaal r2, r3, r0, r1
    adds r2, r2, #1
    filler
    to umaal_use

    from sadd16
    sadd16 r2, r0, r1
    filler
    to sadd16

    from sadd16_use
    sadd16 r2, r0, r1
    adds r2, r2, #1
    filler
    to sadd16_use

    from uqadd8
    uqadd8 r2, r0, r1
    filler
    to uqadd8

    from uqadd8_use
    uqadd8 r2, r0, r1
    adds r2, r2, #1
    filler
    to uqadd8_use

    from qadd
    qadd r2, r0, r1
    filler
    to qadd

    from qadd_use
    qadd r2, r0, r1
    adds r2, r2, #1
    filler
    to qadd_use

    from pkhbt
    pkhbt r2, r0, r1
    filler
    to pkhbt

    from pkhbt_use
    pkhbt r2, r0, r1
    adds r2, r2, #1
    filler
    to pkhbt_use

    from usad8
    usad8 r2, r0, r1
    filler
    to usad8

    from usad8_use
    usad8 r2, r0, r1
    adds r2, r2, #1
    filler
    to usad8_use

    from usada8
    usada8 r2, r0, r1, r3
    filler
    to usada8

    from usada8_use
    usada8 r2, r0, r1, r3
    adds r2, r2, #1
    filler
    to usada8_use

    from sxtab
    sxtab r2, r0, r1
    filler
    to sxtab

    from sxtab_use
    sxtab r2, r0, r1
    adds r2, r2, #1
    filler
    to sxtab_use

    from sel
    sel r2, r0, r1
    filler
    to sel

    from sel_use
    sel r2, r0, r1
    adds r2, r2, #1
    filler
    to sel_use
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
