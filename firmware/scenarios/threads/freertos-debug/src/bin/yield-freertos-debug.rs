//! Study 001 with FreeRTOS, unoptimised.

#![no_std]
#![no_main]

use cortex_m as _; // The critical section.
use threads_freertos_debug as _;

unsafe extern "C" {
    fn yield_study() -> !;
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe { yield_study() }
}
