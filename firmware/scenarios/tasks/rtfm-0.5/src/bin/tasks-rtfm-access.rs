//! Local data, a resource at its ceiling, and an unsynchronised `static mut`: each is counted up once.

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
        rtfm::pend(Interrupt::GPIOB);
        rtfm::pend(Interrupt::GPIOC);
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 2)]
    fn t1(_: t1::Context) {
        static mut LOCAL: u32 = 0;
        mark();
        *LOCAL += 1;
        mark();
    }

    #[task(binds = GPIOB, priority = 2, resources = [a])]
    fn t2(cx: t2::Context) {
        mark();
        *cx.resources.a += 1;
        mark();
    }

    #[task(binds = GPIOC, priority = 2)]
    fn t3(_: t3::Context) {
        mark();
        count();
        mark();
    }

    #[task(binds = GPIOD, priority = 1, resources = [a])]
    fn t4(mut cx: t4::Context) {
        cx.resources.a.lock(|a| *a += 1);
    }
};

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
