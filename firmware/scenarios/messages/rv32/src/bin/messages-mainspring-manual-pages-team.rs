//! A process with two threads, under page tables by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<true>;

const SMALL: usize = 4096;
const TEAM: usize = 4096;

include!("../../../team.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
