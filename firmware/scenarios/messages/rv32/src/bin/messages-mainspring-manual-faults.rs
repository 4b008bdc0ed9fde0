//! Processes that go wrong, behind PMP by the manual.

#![no_std]
#![no_main]

use messages_rv32::manual::{RAM, exit, fail, start_ticks};

type Chip = messages_rv32::manual::Chip<false>;

const BIG: usize = 1024;
const SMALL: usize = 512;
/// What is tried: so much memory, in steps of what protection goes by.
const SPAN: usize = 0x4000;
const STEP: usize = 128;

include!("../../wrong.rs");
include!("../../../faults.rs");

#[riscv_rt::entry]
fn main() -> ! {
    start_ticks();
    mainspring::process::start::<System>()
}
