//! Loops of the Cortex-M4 that others published with their cycles on silicon, in our own words; `firmware/prices/checks.toml`
//! names the sources.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(include_str!("../../../../scenarios/cores/macros.s"), options(raw));

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    function measure
    movs r0, #2
    movs r1, #3
    bl power
    movs r0, #2
    movs r1, #3
    bl product
    movs r0, #20
    mov.w r1, #-1
    movs r2, #1
    b wait

    @ 2 to the power of 3: a loop that begins with a 32-bit instruction across words, behind another one.
    .balign 16
    .global power
    .type power, %function
power:
    mov r2, r0
    mov.w r0, #1
    .global power_turn
power_turn:
    mul r0, r0, r2
    sub.w r1, r1, #1
    cmp r1, #0
    bne power_turn
    .global power_end
power_end:
    bx lr

    @ 2 times 3 in the same way: the loop begins with a 16-bit instruction there.
    .balign 16
    .global product
    .type product, %function
product:
    mov r2, r0
    mov.w r0, #1
    .global product_turn
product_turn:
    add r0, r2
    sub.w r1, r1, #1
    cmp r1, #0
    bne product_turn
    .global product_end
product_end:
    bx lr

    @ Five of the longest divisions in a loop that begins across words.
    .balign 4
    nop
    .global wait
    .type wait, %function
wait:
    .rept 5
    udiv r3, r1, r2
    .endr
    subs r0, #1
    bne wait
    bl measured
"#,
    options(raw)
);
