//! Study 003 with 1000 ticks a second, as many as the study has.

#![no_std]
#![no_main]

use ticks_aquila::start;

#[riscv_rt::entry]
fn main() -> ! {
    start(1000, 4866)
}
