//! `preempt`, with the frame that the compiler gives every function of this target unless told otherwise.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_1::{exit, mark, request};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local, init::Monotonics) {
        rtic::pend(Interrupt::GPIOC);
        (Shared {}, Local {}, init::Monotonics())
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
}
