//! Nothing leaks, by regions of an MPU.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_cortex_m::{Chip, exit, fail};

const RAM: usize = 0x2000_0000;
const STEP: usize = 128;
const SPAN: usize = 0x8000;
const VICTIM: usize = 2048;
const FRAME: usize = 128;
const SMALL: usize = 512;
type Shared = mainspring::process::Buffer<128>;

/// The start of the code, which no process may write to.
const CODE: usize = 0x400;

include!("../../painted.rs");
include!("../../../leaks.rs");

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
