//! Processes that fail, under page tables.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

type Chip = PagedChip<MAIN>;

const RAM: usize = 0x1_0000;
const BIG: usize = 4096;
const SMALL: usize = 4096;
/// How much memory is tried, in steps of the protection's granularity.
const SPAN: usize = 0xc000;
const STEP: usize = 1024;

include!("../../wrong.rs");
include!("../../../faults.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
