//! `t1` enters a section that holds back every interrupt.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_1::{exit, mark};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local, init::Monotonics) {
        rtic::pend(Interrupt::GPIOA);
        (Shared {}, Local {}, init::Monotonics())
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
}
