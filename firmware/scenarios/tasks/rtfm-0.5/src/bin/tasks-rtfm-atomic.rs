//! `t1` enters a section that holds back every interrupt.

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
        mark();
        cortex_m::interrupt::free(|_| mark());
        mark();
    }
};
