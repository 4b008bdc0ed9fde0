//! `two-tasks`, and a `static mut` that both count up.

#![no_std]
#![no_main]

#[rtic::app(device = lm3s6965)]
mod app {
    use tasks_rtic_1::{exit, mark};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local, init::Monotonics) {
        (Shared {}, Local {}, init::Monotonics())
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark();
        exit()
    }

    #[task(binds = GPIOA, priority = 1)]
    fn t1(_: t1::Context) {
        super::count();
    }

    #[task(binds = GPIOB, priority = 2)]
    fn t2(_: t2::Context) {
        super::count();
    }
}

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
