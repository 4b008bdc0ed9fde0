//! `two-tasks`, and a resource that both count up.

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
        cx.lock(&mut a, |a, _| *a += 1);
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        mark();
        exit()
    }
}
