//! A process that asks the kernel for anything, under page tables by the manual.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::manual::{RAM, exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<true>;

const BIG: usize = 12288;
const TEAM: usize = 8192;
const SMALL: usize = 4096;
const FRAME: usize = 4096;
type Shared = mainspring::process::Pages<4096>;

include!("../../hand.rs");
include!("../../page-names.rs");
include!("../../../fuzz.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
