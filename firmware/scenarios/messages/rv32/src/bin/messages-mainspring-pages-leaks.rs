//! Nothing leaks, by pages.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

type Chip = PagedChip<MAIN>;

const RAM: usize = 0x1_0000;
const STEP: usize = 512;
const SPAN: usize = 0x10000;
const VICTIM: usize = 12288;
const FRAME: usize = 4096;
const SMALL: usize = 4096;
type Shared = mainspring::process::Pages<4096>;

/// The start of the code, which no process may write to.
const CODE: usize = MAIN;

include!("../../painted.rs");
include!("../../../leaks.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
