//! A process that asks the kernel for anything, under regions of PMP.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::{Chip, exit, fail};

const RAM: usize = 0x1000_0000;
const BIG: usize = 2048;
const TEAM: usize = 2048;
const SMALL: usize = 1024;
const FRAME: usize = 128;
type Shared = mainspring::process::Buffer<128>;

include!("../../hand.rs");
include!("../../names.rs");
include!("../../../fuzz.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
