//! `two-tasks`, and a `static mut` that both count up.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on GPIOA, priority 1;
        T2 = T2, on GPIOB, priority 2;
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        count();
    }
}

impl Run for T2 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        count();
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        mark();
        exit()
    }
}

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
