//! One task, which never runs; the next program has two.

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
    fn t1(_: t1::Context) {}
};
