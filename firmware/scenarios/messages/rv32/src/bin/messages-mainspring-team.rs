//! A process with two threads, by regions of PMP.

#![no_std]
#![no_main]

use messages_rv32::{Chip, exit, fail};

const SMALL: usize = 512;
const TEAM: usize = 1024;

include!("../../../team.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
