//! `t1` hands a message to the more urgent `t2`, which starts with it.

#![no_std]
#![no_main]

use riscv_rt as _;

#[rtic::app(device = pac)]
mod app {
    use tasks_rv32_rtic_2 as pac;
    use tasks_rv32_rtic_2::{exit, input, mark, output, times};

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
        let message = input();
        mark::<1>();
        let _ = t2::spawn(message);
    }

    #[task(priority = 2)]
    async fn t2(_: t2::Context, message: u32) {
        mark::<2>();
        output(message);
    }
}
