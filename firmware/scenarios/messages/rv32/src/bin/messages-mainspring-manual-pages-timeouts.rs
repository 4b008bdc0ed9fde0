//! A process whose wait times out is told, by the machine timer, under page tables by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<true>;

type Shared = mainspring::process::Pages<4096>;
const BIG: usize = 12288;
const SMALL: usize = 4096;

include!("../../../timeouts.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
