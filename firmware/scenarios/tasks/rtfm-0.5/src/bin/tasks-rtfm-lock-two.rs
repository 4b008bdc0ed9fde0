//! `t1` locks two resources that it shares with the more urgent `t2`, twice.

#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use tasks_rtfm::{exit, mark};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    struct Resources {
        #[init(0)]
        a: u32,
        #[init(0)]
        b: u32,
    }

    #[init]
    fn init(_: init::Context) {
        rtfm::pend(Interrupt::GPIOA);
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1, resources = [a, b])]
    fn t1(cx: t1::Context) {
        let (mut a, mut b) = (cx.resources.a, cx.resources.b);
        mark();
        a.lock(|_| b.lock(|_| mark()));
        mark();
        a.lock(|_| b.lock(|_| mark()));
        mark();
    }

    #[task(binds = GPIOB, priority = 2, resources = [a, b])]
    fn t2(cx: t2::Context) {
        *cx.resources.a += *cx.resources.b;
    }
};
