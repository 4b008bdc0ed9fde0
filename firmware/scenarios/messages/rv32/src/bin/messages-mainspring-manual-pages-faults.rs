//! Processes that fail, under page tables by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{RAM, exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<true>;

const BIG: usize = 4096;
const SMALL: usize = 4096;
/// How much memory is tried, in steps of the protection's granularity.
const SPAN: usize = 0xc000;
const STEP: usize = 1024;

include!("../../wrong.rs");
include!("../../../faults.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
