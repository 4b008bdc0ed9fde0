//! A process that asks the kernel for anything, under page tables.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

type Chip = PagedChip<MAIN>;
const RAM: usize = 0x1_0000;
const BIG: usize = 12288;
const TEAM: usize = 8192;
const SMALL: usize = 4096;
const FRAME: usize = 4096;
type Shared = mainspring::process::Pages<4096>;

include!("../../hand.rs");
include!("../../page-names.rs");
include!("../../../fuzz.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
