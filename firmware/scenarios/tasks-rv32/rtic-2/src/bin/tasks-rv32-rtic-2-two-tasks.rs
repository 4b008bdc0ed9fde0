//! Two tasks, which never run.

#![no_std]
#![no_main]

use riscv_rt as _;

#[rtic::app(device = pac)]
mod app {
    use tasks_rv32_rtic_2 as pac;
    use tasks_rv32_rtic_2::{exit, mark};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        pac::take_exceptions();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark::<1>();
        exit()
    }

    #[task(priority = 1)]
    async fn t1(_: t1::Context) {}

    #[task(priority = 2)]
    async fn t2(_: t2::Context) {}
}
