//! How much of the shared stack a suspended task takes, beyond its own local variables.
//!
//! `t1` keeps a local in memory and is pre-empted by `t2`. The figure is the stack pointer at the breakpoint of `t1` less
//! the stack pointer at the first instruction of `t2`: what the hardware itself has stacked.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    rtfm::run_t1_t2(2)
}

global_asm!(
    r#"
    .section .text.listing, "ax", %progbits
    .balign 8
    .skip 4

    .global t1
    .type t1, %function
t1:
    sub sp, #4
    movs r0, #42
    movs r1, #0x80
    str r0, [sp]                @ x = 42
    movw r0, #0xe200
    bkpt
    movt r0, #0xe000            @ NVIC_ISPR0
    str r1, [r0]                @ t2 becomes pending
    ldr r0, [sp]
    add sp, #4
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1

    .global t2
    .type t2, %function
t2:
    sub sp, #4
    movs r0, #24
    str r0, [sp]                @ y = 24
    bkpt
    ldr r0, [sp]
    add sp, #4
    bx lr
    .size t2, . - t2
    .global IRQ7
    .thumb_set IRQ7, t2
"#,
    options(raw)
);
