//! `t2` is as urgent as `t1`, so it runs when `t1` ends: the hardware goes from one to the other directly.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    rtfm::run_t1_t2(1)
}

global_asm!(
    r#"
    .section .text.listing, "ax", %progbits
    .balign 8
    .skip 4

    .global t1
    .type t1, %function
t1:
    movw r0, #0xe200
    movs r1, #0x80
    movt r0, #0xe000            @ NVIC_ISPR0
    str r1, [r0]                @ t2 becomes pending, and waits
    bkpt
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1

    .global t2
    .type t2, %function
t2:
    bkpt
    bx lr
    .size t2, . - t2
    .global IRQ7
    .thumb_set IRQ7, t2
"#,
    options(raw)
);
