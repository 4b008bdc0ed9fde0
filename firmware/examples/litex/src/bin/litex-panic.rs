//! A panic: its message goes to the host's standard error, and the exit code is that of a Rust program.

#![no_std]
#![no_main]

use core::hint::black_box;

use riscv_rt::entry;
use semihosting::{println, process};

#[entry]
fn main() -> ! {
    let samples = [3, 1, 4];
    println!("{}", samples[black_box(3)]);
    process::exit(0)
}
