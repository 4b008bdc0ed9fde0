//! A process with two threads, under PMP by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<false>;

const SMALL: usize = 512;
const TEAM: usize = 1024;

include!("../../../team.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
