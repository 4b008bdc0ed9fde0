//! Processes that go wrong.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::{Chip, exit, fail};

const RAM: usize = 0x1000_0000;
const THUMB: usize = 0;

include!("../../../faults.rs");

fn illegal() {
    // SAFETY: no instruction.
    unsafe { asm!("unimp") };
}

fn lose_stack() {
    // SAFETY: none.
    unsafe { asm!("li sp, 0x10", "sw zero, 0(sp)") };
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
