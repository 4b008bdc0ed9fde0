//! The operations of Thread-Metric, with FreeRTOS.

#![no_std]
#![no_main]

use threads_rv32_freertos::begin;

unsafe extern "C" {
    fn metric() -> !;
}

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe {
        begin();
        metric()
    }
}
