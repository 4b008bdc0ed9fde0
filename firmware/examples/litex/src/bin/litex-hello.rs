//! Says hello by semihosting, and ends with an exit code.

#![no_std]
#![no_main]

use riscv_rt::entry;
use semihosting::{println, process};

/// In .data: start-up copies it from the program.
static GREETING: [&str; 2] = ["hello", "RV32"];

#[entry]
fn main() -> ! {
    println!("{}, {}", GREETING[0], GREETING[1]);
    process::exit(0)
}
