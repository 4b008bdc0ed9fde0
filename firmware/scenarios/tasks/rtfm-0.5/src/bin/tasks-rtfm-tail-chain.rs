//! `t1` asks for `t2`, which is as urgent and so starts when `t1` ends.

#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use tasks_rtfm::{exit, mark};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    #[init]
    fn init(_: init::Context) {
        rtfm::pend(Interrupt::GPIOA);
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1)]
    fn t1(_: t1::Context) {
        rtfm::pend(Interrupt::GPIOB);
        mark();
    }

    #[task(binds = GPIOB, priority = 1)]
    fn t2(_: t2::Context) {
        mark();
    }
};
