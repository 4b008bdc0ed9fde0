//! Study 003 with 10 ticks a second, as many as the study has.

#![no_std]
#![no_main]

use ticks_aquila::start;

#[riscv_rt::entry]
fn main() -> ! {
    start(10, 48)
}
