//! Processes that fail, under PMP by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{RAM, exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<false>;

const BIG: usize = 1024;
const SMALL: usize = 512;
/// How much memory is tried, in steps of the protection's granularity.
const SPAN: usize = 0x4000;
const STEP: usize = 128;

include!("../../wrong.rs");
include!("../../../faults.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
