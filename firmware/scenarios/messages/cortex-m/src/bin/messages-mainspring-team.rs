//! A process with two threads, under an MPU.

#![no_std]
#![no_main]

use messages_cortex_m::{Chip, exit, fail};

const SMALL: usize = 512;
const TEAM: usize = 1024;

include!("../../../team.rs");

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
