//! A server that dies while others queue, under page tables.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

type Chip = PagedChip<MAIN>;

type Shared = mainspring::process::Pages<4096>;
const BIG: usize = 8192;
const SMALL: usize = 4096;

include!("../../../queued.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
