//! Operations between threads, with FreeRTOS.

#![no_std]
#![no_main]

use threads_rv32_freertos::begin;

unsafe extern "C" {
    fn primitives() -> !;
}

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe {
        begin();
        primitives()
    }
}
