//! Equals of which one was pre-empted, or whose turn an interrupt ends, or which yield with much in registers, with FreeRTOS.

#![no_std]
#![no_main]

use cortex_m as _; // The critical section.
use threads_freertos as _;

unsafe extern "C" {
    fn equals() -> !;
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe { equals() }
}
