//! Study 003 with 50 ticks a second.

#![no_std]
#![no_main]

use ticks_freertos::start;

#[riscv_rt::entry]
fn main() -> ! {
    start(50, 12)
}
