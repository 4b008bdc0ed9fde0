//! `t1` locks a resource that it shares with `t2`, and may have interrupted the idle loop in a section of
//! its own. Twice, as in `lock`.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_2::{exit, mark};

    #[shared]
    struct Shared {
        a: u32,
        below: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        rtic::pend(Interrupt::GPIOA);
        (Shared { a: 0, below: 0 }, Local {})
    }

    #[idle(shared = [below])]
    fn idle(mut cx: idle::Context) -> ! {
        cx.shared.below.lock(|below| *below += 1);
        exit()
    }

    #[task(binds = GPIOC, priority = 1, shared = [below])]
    fn t0(mut cx: t0::Context) {
        cx.shared.below.lock(|below| *below += 1);
    }

    #[task(binds = GPIOA, priority = 2, shared = [a])]
    fn t1(mut cx: t1::Context) {
        mark();
        cx.shared.a.lock(|_| mark());
        mark();
        cx.shared.a.lock(|_| mark());
        mark();
    }

    #[task(binds = GPIOB, priority = 3, shared = [a])]
    fn t2(mut cx: t2::Context) {
        cx.shared.a.lock(|a| *a += 1);
    }
}
