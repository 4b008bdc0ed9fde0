//! Processes that go wrong.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_cortex_m::{Chip, exit, fail};

const RAM: usize = 0x2000_0000;
const THUMB: usize = 1;

const BIG: usize = 1024;
const SMALL: usize = 512;
/// How much memory is tried, in steps of the protection's granularity.
const SPAN: usize = 0x4000;
const STEP: usize = 128;

include!("../../../faults.rs");

fn illegal() {
    // SAFETY: no instruction.
    unsafe { asm!("udf #1") };
}

/// Asks the kernel with a stack on which nothing can be put.
fn lose_stack() {
    // SAFETY: none.
    unsafe {
        asm!("mov r0, #0x20000000", "mov sp, r0", "mov r11, #0", "mov r10, #0", "svc 0", out("r0") _, out("r10") _, out("r11") _)
    };
}

/// Asks the kernel, as no process, with the stack there.
fn ask_at(place: usize) {
    // SAFETY: none.
    unsafe {
        asm!(
            "mov r12, sp", "mov sp, r0", "mov r11, #0", "mov r10, #0", "svc 0", "mov sp, r12",
            in("r0") place, out("r12") _,
            out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        )
    };
}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
