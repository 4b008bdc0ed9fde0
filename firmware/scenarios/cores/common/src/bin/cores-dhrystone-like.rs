//! `workloads::records`: one iteration to warm up, and between two breakpoints one to measure. A wrong result fails.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m::asm::bkpt;
use cortex_m_rt::entry;
use workloads::records::{EXPECTED, Office, SEED};

#[entry]
fn main() -> ! {
    let mut work = Office::new();
    let first = work.iteration(black_box(SEED));
    bkpt();
    let second = work.iteration(black_box(SEED));
    bkpt();
    if (first, second) == (EXPECTED, EXPECTED) {
        rt::exit()
    } else {
        rt::fail()
    }
}
