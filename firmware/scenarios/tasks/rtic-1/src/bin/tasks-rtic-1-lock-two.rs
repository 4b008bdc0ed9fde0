//! `t1` locks two resources that it shares with the more urgent `t2`, twice.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_1::{exit, mark};

    #[shared]
    struct Shared {
        a: u32,
        b: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local, init::Monotonics) {
        rtic::pend(Interrupt::GPIOA);
        (Shared { a: 0, b: 0 }, Local {}, init::Monotonics())
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1, shared = [a, b])]
    fn t1(mut cx: t1::Context) {
        mark();
        (&mut cx.shared.a, &mut cx.shared.b).lock(|_, _| mark());
        mark();
        (&mut cx.shared.a, &mut cx.shared.b).lock(|_, _| mark());
        mark();
    }

    #[task(binds = GPIOB, priority = 2, shared = [a, b])]
    fn t2(cx: t2::Context) {
        (cx.shared.a, cx.shared.b).lock(|a, b| *a += *b);
    }
}
