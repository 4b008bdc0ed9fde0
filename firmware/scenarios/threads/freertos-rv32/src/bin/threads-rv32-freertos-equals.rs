//! Equals of which one was pre-empted, or whose turn an interrupt ends, or which yield with much in registers, with FreeRTOS.

#![no_std]
#![no_main]

use threads_rv32_freertos::begin;

unsafe extern "C" {
    fn equals() -> !;
}

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe {
        begin();
        equals()
    }
}
