//! A process whose wait times out is told, by the machine timer, under PMP by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<false>;

type Shared = mainspring::process::Buffer<128>;
const BIG: usize = 1024;
const SMALL: usize = 512;

include!("../../../timeouts.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
