//! The idle loop wakes an `async` task, which continues after its `await`.

#![no_std]
#![no_main]

use riscv_rt as _;

#[rtic::app(device = pac)]
mod app {
    use tasks_rv32_rtic_2 as pac;
    use tasks_rv32_rtic_2::event::{happen, happened};
    use tasks_rv32_rtic_2::{exit, mark, times};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        pac::take_exceptions();
        let _ = t1::spawn();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        for _ in times() {
            mark::<1>();
            happen();
            mark::<3>();
        }
        exit()
    }

    #[task(priority = 1)]
    async fn t1(_: t1::Context) {
        loop {
            happened().await;
            mark::<2>();
        }
    }
}
