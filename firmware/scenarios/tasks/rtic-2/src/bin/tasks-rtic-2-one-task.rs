//! One task, which never runs; the next program has two.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use tasks_rtic_2::{exit, mark};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark();
        exit()
    }

    #[task(binds = GPIOA, priority = 1)]
    fn t1(_: t1::Context) {}
}
