//! `t1` asks for `t2`, which is as urgent and so starts when `t1` ends.

#![no_std]
#![no_main]

use riscv_rt as _;

#[rtic::app(device = pac)]
mod app {
    use tasks_rv32_rtic_2 as pac;
    use tasks_rv32_rtic_2::{exit, mark, times};

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
        for _ in times() {
            let _ = t1::spawn();
        }
        exit()
    }

    #[task(priority = 1)]
    async fn t1(_: t1::Context) {
        let _ = t2::spawn();
        mark::<1>();
    }

    #[task(priority = 1)]
    async fn t2(_: t2::Context) {
        mark::<2>();
    }
}
