//! As `rtfm-preempt`, with a `t2` that needs more registers than the hardware stacks.
//!
//! The compiler then adds a prologue (`push`, frame pointer) and an epilogue; both belong to the price of the switch, so
//! entry ends at `t2_body`, after the prologue, and exit starts at the breakpoint before the epilogue.

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
    push {r7, lr}
    mov r7, sp
t2_body:
    mov.w r12, #0
    mov.w lr, #1
    movs r2, #2
    movs r3, #3
    movs r0, #4
    movs r1, #5
    bkpt
    pop {r7, pc}
    .size t2, . - t2
    .global IRQ7
    .thumb_set IRQ7, t2
"#,
    options(raw)
);
