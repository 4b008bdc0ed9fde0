//! Processes that go wrong.

#![no_std]
#![no_main]

use messages_rv32::{Chip, exit, fail};

const RAM: usize = 0x1000_0000;
const BIG: usize = 1024;
const SMALL: usize = 512;
/// How much memory is tried, in steps of the protection's granularity.
const SPAN: usize = 0x4000;
const STEP: usize = 128;

include!("../../wrong.rs");
include!("../../../faults.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
