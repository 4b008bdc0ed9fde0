//! A tick that switches among three equals, with FreeRTOS.

#![no_std]
#![no_main]

use cortex_m as _; // The critical section.
use threads_freertos as _;

unsafe extern "C" {
    fn tick() -> !;
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe { tick() }
}
