//! Every cycle tried: an interrupt's process comes between two others that exchange messages, under page tables.
//! `mark_1` is where they begin.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip, mark};

const CODE: (usize, usize) = (MAIN, 4 << 20);
const PROTECTION: Protection = Protection::VexRiscvSv32;

const BELOW: u16 = 8;
const ABOVE: u16 = 9;

type Shared = mainspring::process::Pages<4096>;
const CLIENT: usize = 8192;
const SMALL: usize = 4096;

include!("../../acknowledged.rs");
include!("../../../sweep.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
