//! Starts and ends: what every run pays, whatever it works on.

#![no_std]
#![no_main]

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    rt::exit()
}
