//! The operations of Thread-Metric, with FreeRTOS.

#![no_std]
#![no_main]

use cortex_m as _; // The critical section.
use threads_freertos as _;

unsafe extern "C" {
    fn metric() -> !;
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe { metric() }
}
