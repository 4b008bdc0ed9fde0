//! A thread that sleeps for a tick, by itself: as much of it as fits into the cache of a VexRiscv is warm the last time.

#![no_std]
#![no_main]

use threads_rv32_freertos::begin;

unsafe extern "C" {
    fn sleep() -> !;
}

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe {
        begin();
        sleep()
    }
}
