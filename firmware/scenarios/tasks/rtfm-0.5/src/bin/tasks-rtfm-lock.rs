//! `t1` locks a resource that it shares with the more urgent `t2`, twice: the second time what it writes is in registers.

#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use tasks_rtfm::{exit, mark};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    struct Resources {
        #[init(0)]
        a: u32,
    }

    #[init]
    fn init(_: init::Context) {
        rtfm::pend(Interrupt::GPIOA);
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1, resources = [a])]
    fn t1(mut cx: t1::Context) {
        mark();
        cx.resources.a.lock(|_| mark());
        mark();
        cx.resources.a.lock(|_| mark());
        mark();
    }

    #[task(binds = GPIOB, priority = 2, resources = [a])]
    fn t2(cx: t2::Context) {
        *cx.resources.a += 1;
    }
};
