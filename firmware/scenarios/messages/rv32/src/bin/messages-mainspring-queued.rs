//! A server that dies while others queue, by regions of PMP.

#![no_std]
#![no_main]

use messages_rv32::{Chip, exit, fail};

type Shared = mainspring::process::Buffer<128>;
const BIG: usize = 1024;
const SMALL: usize = 512;

include!("../../../queued.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
