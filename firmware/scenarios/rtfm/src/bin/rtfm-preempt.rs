//! `t1` asks for `t2`, which is more urgent and pre-empts it at once; `t2` is empty.
//!
//! Entry: from the store that makes `t2` pending to the first instruction of `t2`. Exit: from there, through `bx lr`,
//! to the next instruction of `t1`.

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
    movw r0, #0xe200
    movs r1, #0x80
    bkpt
    movt r0, #0xe000            @ NVIC_ISPR0
t1_request:
    str r1, [r0]                @ t2 becomes pending
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
