//! Study 003 on Aquila; its two tasks are C: `../ticks/c/ticks.c`.

#![no_std]

use core::panic::PanicInfo;

unsafe extern "C" {
    fn ticks(rate: u32, count: u32);
}

/// Runs the two tasks at `rate` ticks a second, for `count` ticks.
#[expect(clippy::empty_loop, reason = "never reached: FreeRTOS does not come back")]
pub fn start(rate: u32, count: u32) -> ! {
    // SAFETY: starts FreeRTOS; nothing runs yet.
    unsafe { ticks(rate, count) };
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {}
}
