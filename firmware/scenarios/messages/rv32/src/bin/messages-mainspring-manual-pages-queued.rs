//! A server that dies while others queue, under page tables by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<true>;

type Shared = mainspring::process::Pages<4096>;
const BIG: usize = 8192;
const SMALL: usize = 4096;

include!("../../../queued.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
