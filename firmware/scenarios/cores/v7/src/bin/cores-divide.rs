//! Divisions, by how many bits the dividend has more than the divisor: what each costs in front of an instruction that
//! does not need it, and (`…_use`) in front of one that does.

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

    ldr r0, =0
    ldr r1, =9

    from udiv_zero
    udiv r2, r0, r1
    filler
    to udiv_zero

    ldr r0, =7
    ldr r1, =9

    from udiv_less
    udiv r2, r0, r1
    filler
    to udiv_less

    ldr r0, =9
    ldr r1, =9

    from udiv_equal
    udiv r2, r0, r1
    filler
    to udiv_equal

    ldr r0, =0x70
    ldr r1, =7

    from udiv_4_bits
    udiv r2, r0, r1
    filler
    to udiv_4_bits

    ldr r0, =0x70000
    ldr r1, =7

    from udiv_16_bits
    udiv r2, r0, r1
    filler
    to udiv_16_bits

    from udiv_16_bits_use
    udiv r2, r0, r1
    adds r2, r2, #1
    filler
    to udiv_16_bits_use

    ldr r0, =0xffffffff
    ldr r1, =1

    from udiv_31_bits
    udiv r2, r0, r1
    filler
    to udiv_31_bits

    ldr r0, =0x80000000
    ldr r1, =1

    from sdiv_31_bits
    sdiv r2, r0, r1
    filler
    to sdiv_31_bits
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
