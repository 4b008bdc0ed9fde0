//! `t1` locks a resource that it shares with `t2`, and may have interrupted the idle loop in a section of
//! its own. Twice, as in `lock`.

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
        below: u32,
    }

    #[init]
    fn init(_: init::Context) {
        rtfm::pend(Interrupt::GPIOA);
    }

    #[idle(resources = [below])]
    fn idle(mut cx: idle::Context) -> ! {
        cx.resources.below.lock(|below| *below += 1);
        exit()
    }

    #[task(binds = GPIOC, priority = 1, resources = [below])]
    fn t0(cx: t0::Context) {
        *cx.resources.below += 1;
    }

    #[task(binds = GPIOA, priority = 2, resources = [a])]
    fn t1(mut cx: t1::Context) {
        mark();
        cx.resources.a.lock(|_| mark());
        mark();
        cx.resources.a.lock(|_| mark());
        mark();
    }

    #[task(binds = GPIOB, priority = 3, resources = [a])]
    fn t2(cx: t2::Context) {
        *cx.resources.a += 1;
    }
};
