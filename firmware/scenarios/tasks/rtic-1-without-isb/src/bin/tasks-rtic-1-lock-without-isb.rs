//! `t1` locks a resource that it shares with the more urgent `t2`, twice: the second time what it writes is in registers.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_1_without_isb::{exit, mark};

    #[shared]
    struct Shared {
        a: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local, init::Monotonics) {
        rtic::pend(Interrupt::GPIOA);
        (Shared { a: 0 }, Local {}, init::Monotonics())
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1, shared = [a])]
    fn t1(mut cx: t1::Context) {
        mark();
        cx.shared.a.lock(|_| mark());
        mark();
        cx.shared.a.lock(|_| mark());
        mark();
    }

    #[task(binds = GPIOB, priority = 2, shared = [a])]
    fn t2(mut cx: t2::Context) {
        cx.shared.a.lock(|a| *a += 1);
    }
}
