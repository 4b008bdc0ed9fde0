//! A counter that one task owns: `Local`, `Resource` with a `Cell`, and a plain `static mut` all compile to this.

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

    .global t1
    .type t1, %function
t1:
    movw r0, #:lower16:counter
    bkpt
    movt r0, #:upper16:counter
    ldr r1, [r0]
    adds r1, #1
    str r1, [r0]
    bkpt
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1

    .section .bss.counter, "aw", %nobits
    .balign 4
    .global counter
    .type counter, %object
counter:
    .skip 4
    .size counter, 4
"#,
    options(raw)
);
