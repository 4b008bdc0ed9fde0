//! Local data, a resource at its ceiling, and an unsynchronised `static mut`: each is counted up once.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use tasks_rtic_2::{exit, mark};

    #[shared]
    struct Shared {
        a: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        rtic::pend(Interrupt::GPIOA);
        rtic::pend(Interrupt::GPIOB);
        rtic::pend(Interrupt::GPIOC);
        (Shared { a: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 2, local = [counter: u32 = 0])]
    fn t1(cx: t1::Context) {
        mark();
        *cx.local.counter += 1;
        mark();
    }

    #[task(binds = GPIOB, priority = 2, shared = [a])]
    fn t2(mut cx: t2::Context) {
        mark();
        cx.shared.a.lock(|a| *a += 1);
        mark();
    }

    #[task(binds = GPIOC, priority = 2)]
    fn t3(_: t3::Context) {
        mark();
        super::count();
        mark();
    }

    #[task(binds = GPIOD, priority = 1, shared = [a])]
    fn t4(mut cx: t4::Context) {
        cx.shared.a.lock(|a| *a += 1);
    }
}

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
