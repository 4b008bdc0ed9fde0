//! A counter in a `RefCell` that is borrowed to be read and borrowed again to be written.
//!
//! The two checks become one, but the task gets a prologue and a second way to panic.

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
    push {r7, lr}
    mov r7, sp
    movw r0, #:lower16:counter
    bkpt
    movt r0, #:upper16:counter
    ldr r1, [r0]
    cbnz r1, 1f
    ldr r1, [r0, #4]
    movs r2, #0
    adds r1, #1
    strd r2, r1, [r0]
    bkpt
    pop {r7, pc}
1:
    adds r0, r1, #1
    bne 2f
    bl already_borrowed
2:
    bl already_borrowed
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
