//! A server that dies while others queue, under an MPU.

#![no_std]
#![no_main]

use messages_cortex_m::{Chip, exit, fail};

type Shared = mainspring::process::Buffer<128>;
const BIG: usize = 1024;
const SMALL: usize = 512;

include!("../../../queued.rs");

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
