//! A counter in a `RefCell` whose failing borrow is declared unreachable: no check, but still the flag's store.

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
    movs r2, #0
    movt r0, #:upper16:counter
    ldr r1, [r0, #4]
    adds r1, #1
    strd r2, r1, [r0]
    bkpt
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1

    .section .bss.counter, "aw", %nobits
    .balign 4
    .global counter
    .type counter, %object
counter:                        @ the borrow flag, then the value
    .skip 8
    .size counter, 8
"#,
    options(raw)
);
