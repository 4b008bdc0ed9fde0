//! `t1` hands a message to the more urgent `t2`, which starts with it.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965, dispatchers = [UART1])]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_1::{exit, input, mark, output};

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
        let message = input();
        mark();
        let _ = t2::spawn(message);
    }

    #[task(priority = 2)]
    fn t2(_: t2::Context, message: u32) {
        mark();
        output(message);
    }
}
