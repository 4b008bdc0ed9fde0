//! `t2`, the most urgent user of a resource, uses it through whatever a shared resource takes.

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
        T1 = T1, on GPIOA, priority 1, uses Write<A>;
        T2 = T2, on GPIOB, priority 2, uses Write<A>;
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, mut cx: Context<Self>, mut a: Handles<Self>) {
        cx.lock(&mut a, |a, _| *a += 1);
    }
}

impl Run for T2 {
    fn run(&mut self, mut cx: Context<Self>, mut a: Handles<Self>) {
        mark();
        cx.lock(&mut a, |_, _| mark());
        mark();
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.pend::<T2>();
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        exit()
    }
}
