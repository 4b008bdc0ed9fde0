//! Nothing leaks, by regions of PMP.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::{Chip, exit, fail};

const RAM: usize = 0x1000_0000;
/// A VexRiscv's protection goes by steps of 128 bytes.
const STEP: usize = 128;
const SPAN: usize = 0x8000;
const VICTIM: usize = 2048;
const FRAME: usize = 128;
const SMALL: usize = 512;
type Shared = mainspring::process::Buffer<128>;

/// The start of the code, which no process may write to.
const CODE: usize = 0x40;

include!("../../painted.rs");
include!("../../../leaks.rs");

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
