//! Two tasks, which never run.

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

    #[task(binds = GPIOB, priority = 2)]
    fn t2(_: t2::Context) {}
};
