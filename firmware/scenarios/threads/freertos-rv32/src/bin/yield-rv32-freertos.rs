//! Study 001 on RV32: its board is another, its text the same.

#![no_std]
#![no_main]

use threads_rv32_freertos::begin;

unsafe extern "C" {
    fn yield_study() -> !;
}

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe {
        begin();
        yield_study()
    }
}
