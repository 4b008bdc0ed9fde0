//! CMSIS-RTOS2 programs, which are C, each with its own `main`: what ends them.

#![no_std]

use cortex_m as _; // The critical section.
use cortex_m_rt as _; // The vectors.
use mainspring_cmsis as _;

/// Ends the program: well, if `found` is 0.
#[unsafe(no_mangle)]
pub extern "C" fn program_ends(found: u32) -> ! {
    if found == 0 {
        common::exit()
    } else {
        common::fail()
    }
}
