//! `t1` asks for `t2`, which is as urgent and so starts when `t1` ends.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_2::{exit, mark};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        rtic::pend(Interrupt::GPIOA);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1)]
    fn t1(_: t1::Context) {
        rtic::pend(Interrupt::GPIOB);
        mark();
    }

    #[task(binds = GPIOB, priority = 1)]
    fn t2(_: t2::Context) {
        mark();
    }
}
