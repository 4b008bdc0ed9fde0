//! `Threshold::raise`: a critical section that keeps out only the tasks that share the resource, through BASEPRI.

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
    movs r1, #0xe0              @ the ceiling: priority 2
    bkpt                        @ before
    mrs r0, BASEPRI
    msr BASEPRI_MAX, r1
    bkpt                        @ inside
    msr BASEPRI, r0
    bkpt                        @ after
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1
"#,
    options(raw)
);
