//! Local data, a resource at its ceiling, and an unsynchronised `static mut`: each is counted up once.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    resources {
        A: u32 = 0;
    }
    tasks {
        T1 = T1 { counter: 0 }, on GPIOA, priority 2;
        T2 = T2, on GPIOB, priority 2, uses Write<A>;
        T3 = T3, on GPIOC, priority 2;
        T4 = T4, on GPIOD, priority 1, uses Write<A>;
    }
}

struct T1 {
    counter: u32,
}
struct T2;
struct T3;
struct T4;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        mark();
        self.counter += 1;
        mark();
    }
}

impl Run for T2 {
    fn run(&mut self, cx: Context<Self>, mut a: Handles<Self>) {
        mark();
        *cx.get(&mut a) += 1;
        mark();
    }
}

impl Run for T3 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        mark();
        count();
        mark();
    }
}

impl Run for T4 {
    fn run(&mut self, mut cx: Context<Self>, mut a: Handles<Self>) {
        cx.lock(&mut a, |a, _| *a += 1);
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.pend::<T1>();
        cx.pend::<T2>();
        cx.pend::<T3>();
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        exit()
    }
}

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
