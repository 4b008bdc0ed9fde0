//! `t1` is interrupted by `t2`, which is more urgent and empty.
//!
//! Entry: from the store that makes `t2` pending to its first statement. Exit: from there back into `t1`.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_2::{exit, mark, request};

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
        request(Interrupt::GPIOB as u16);
        mark();
    }

    #[task(binds = GPIOB, priority = 2)]
    fn t2(_: t2::Context) {
        mark();
    }
}
