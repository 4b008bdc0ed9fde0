//! Study 001 as its document describes it: `c/study.c`, whose `main` is the program's.

#![no_std]
#![no_main]

use cmsis_mainspring as _;

// DWT counts cycles on ARMv7-M alone.
#[cfg(target_has_atomic = "32")]
#[link(name = "study", kind = "static")]
unsafe extern "C" {
    fn main() -> i32;
}

/// Has the linker take it.
#[cfg(target_has_atomic = "32")]
#[used]
static MAIN: unsafe extern "C" fn() -> i32 = main;

#[cfg(not(target_has_atomic = "32"))]
#[cortex_m_rt::entry]
fn main() -> ! {
    cmsis_mainspring::program_ends(0)
}
