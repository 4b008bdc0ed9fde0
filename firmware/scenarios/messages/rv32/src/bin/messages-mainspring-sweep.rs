//! Every cycle tried: an interrupt's process comes between two others that exchange messages.
//! `mark_1` is where they begin.

#![no_std]
#![no_main]

use messages_rv32::{MAIN, PagedChip, mark};
use messages_rv32::{exit, fail};

const CODE: (usize, usize) = (0, 128 << 10);
const PROTECTION: Protection = Protection::VexRiscv;

const BELOW: u16 = 8;
const ABOVE: u16 = 9;

type Shared = mainspring::process::Buffer<128>;
const CLIENT: usize = 1024;
const SMALL: usize = 512;

include!("../../acknowledged.rs");
include!("../../../sweep.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
