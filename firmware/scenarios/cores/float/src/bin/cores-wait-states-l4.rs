//! Code to be interrupted, from a flash with more and more wait states: the register of STM32L4 and STM32G4.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(
    include_str!("../../../macros.s"),
    include_str!("../../../interruptible.s"),
    "    .equ ACR, 0x40022000",
    include_str!("../wait-states.s"),
    options(raw)
);
