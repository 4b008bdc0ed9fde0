//! A process with two threads, under page tables.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

type Chip = PagedChip<MAIN>;

const SMALL: usize = 4096;
const TEAM: usize = 4096;

include!("../../../team.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
