//! Study 003 with 100 ticks a second.

#![no_std]
#![no_main]

use ticks_freertos::start;

#[riscv_rt::entry]
fn main() -> ! {
    start(100, 24)
}
