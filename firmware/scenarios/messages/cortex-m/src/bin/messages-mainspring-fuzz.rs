//! A process that asks the kernel for anything, under an MPU.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_cortex_m::{Ticking as Chip, exit, fail, start_ticks};

const RAM: usize = 0x2000_0000;
const BIG: usize = 2048;
const TEAM: usize = 2048;
const SMALL: usize = 1024;
const FRAME: usize = 128;
type Shared = mainspring::process::Buffer<128>;

/// A piece of memory, mostly of a size that there is.
fn named(place: usize, random: usize) -> [usize; 2] {
    if random >> 24 < 160 {
        [place & !0x7f, 5 + (random & 7)]
    } else {
        [place, random]
    }
}

include!("../../hand.rs");
include!("../../../fuzz.rs");

#[cortex_m_rt::entry]
fn main() -> ! {
    start_ticks(5_003);
    mainspring::process::start::<System>()
}
