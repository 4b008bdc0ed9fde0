//! A process whose wait times out is told, by ticks of SysTick.

#![no_std]
#![no_main]

use messages_cortex_m::{Ticking as Chip, exit, fail, start_ticks};

type Shared = mainspring::process::Buffer<128>;
const BIG: usize = 1024;
const SMALL: usize = 512;

include!("../../../timeouts.rs");

#[cortex_m_rt::entry]
fn main() -> ! {
    start_ticks(2_000);
    mainspring::process::start::<System>()
}
