//! Misuse of the interface: `c/hostile.c`, whose `main` is the program's.

#![no_std]
#![no_main]

use cmsis_mainspring as _;

#[link(name = "hostile", kind = "static")]
unsafe extern "C" {
    fn main() -> i32;
}

/// Has the linker take it.
#[used]
static MAIN: unsafe extern "C" fn() -> i32 = main;
