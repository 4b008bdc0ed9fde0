//! `two-tasks`, and a resource that both count up.

#![no_std]
#![no_main]

use tasks_rtfm::{exit, mark};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    struct Resources {
        #[init(0)]
        a: u32,
    }

    #[init]
    fn init(_: init::Context) {}

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark();
        exit()
    }

    #[task(binds = GPIOA, priority = 1, resources = [a])]
    fn t1(mut cx: t1::Context) {
        cx.resources.a.lock(|a| *a += 1);
    }

    #[task(binds = GPIOB, priority = 2, resources = [a])]
    fn t2(cx: t2::Context) {
        *cx.resources.a += 1;
    }
};
