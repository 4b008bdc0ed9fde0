//! The idle loop wakes an `async` task, which continues after its `await`.

#![no_std]
#![no_main]

use tasks_rtic_2 as _;

#[rtic::app(device = lm3s6965, dispatchers = [GPIOA])]
mod app {
    use tasks_rtic_2::event::{happen, happened};
    use tasks_rtic_2::{exit, mark};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = t1::spawn();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark();
        happen();
        mark();
        exit()
    }

    #[task(priority = 1)]
    async fn t1(_: t1::Context) {
        loop {
            happened().await;
            mark();
        }
    }
}
