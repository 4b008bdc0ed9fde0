//! A message to a more urgent thread and its reply: all of it fits into the cache of a VexRiscv as far as FreeRTOS does.

#![no_std]
#![no_main]

use threads_rv32_freertos::begin;

unsafe extern "C" {
    fn message() -> !;
}

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe {
        begin();
        message()
    }
}
