//! `rtfm::atomic`: a critical section that keeps out everything, through PRIMASK.

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
    bkpt                        @ before
    mrs r0, PRIMASK
    cpsid i
    bkpt                        @ inside
    tst.w r0, #1
    bne 1f                      @ was already masked: leave it so
    cpsie i
1:
    bkpt                        @ after
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1
"#,
    options(raw)
);
