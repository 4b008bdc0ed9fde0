//! `t1` asks for `t2`, which is as urgent and so starts when `t1` ends.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on GPIOA, priority 1;
        T2 = T2, on GPIOB, priority 1;
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        cx.pend::<T2>();
        mark();
    }
}

impl Run for T2 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        mark();
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.pend::<T1>();
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        exit()
    }
}
