//! `two-tasks`, and a `static mut` that both count up.

#![no_std]
#![no_main]

use tasks_rtfm::{exit, mark};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    #[init]
    fn init(_: init::Context) {}

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark();
        exit()
    }

    #[task(binds = GPIOA, priority = 1)]
    fn t1(_: t1::Context) {
        count();
    }

    #[task(binds = GPIOB, priority = 2)]
    fn t2(_: t2::Context) {
        count();
    }
};

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
