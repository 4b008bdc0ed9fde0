//! One `nop` between two breakpoints.

#![no_std]
#![no_main]

use core::arch::global_asm;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    rt::exit()
}

global_asm!(
    ".section .text.t1, \"ax\"",
    ".balign 8",
    ".skip 6",
    ".global t1",
    ".type t1, %function",
    "t1:",
    "bkpt",
    "nop",
    "bkpt",
    "bx lr",
    ".thumb_set IRQ6, t1",
    ".global IRQ6",
);
