//! A function call, to compare with a pre-emption: `foo` is empty.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    rtfm::run_t1()
}

global_asm!(
    r#"
    .section .text.listing, "ax", %progbits
    .balign 8
    .skip 6

    .global foo
    .type foo, %function
foo:
    bkpt
    bx lr
    .size foo, . - foo

    .global t1
    .type t1, %function
t1:
    push {r7, lr}
    mov r7, sp
    bkpt
    bl foo
    bkpt
    pop {r7, pc}
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1
"#,
    options(raw)
);
