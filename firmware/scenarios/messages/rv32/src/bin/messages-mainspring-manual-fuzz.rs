//! A process that asks the kernel for anything, under PMP by the manual.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::manual::{RAM, exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<false>;

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
    start_ticks();
    mainspring::process::start::<System>()
}
