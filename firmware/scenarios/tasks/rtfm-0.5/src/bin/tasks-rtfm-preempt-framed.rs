//! `preempt`, with the frame that the compiler gives every function of this target unless told otherwise.

#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use tasks_rtfm::{exit, mark, request};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    #[init]
    fn init(_: init::Context) {
        rtfm::pend(Interrupt::GPIOC);
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOC, priority = 1)]
    fn t1(_: t1::Context) {
        request(Interrupt::GPIOD as u16);
        mark();
    }

    #[task(binds = GPIOD, priority = 2)]
    fn t2(_: t2::Context) {
        mark();
    }
};
