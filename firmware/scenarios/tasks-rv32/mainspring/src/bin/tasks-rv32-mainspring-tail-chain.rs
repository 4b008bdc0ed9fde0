//! `t1` asks for `t2`, which is as urgent and so starts when `t1` ends.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_rv32_mainspring::{Chip, exit, mark, times};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on A, priority 1;
        T2 = T2, on B, priority 1;
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        cx.pend::<T2>();
        mark::<1>();
    }
}

impl Run for T2 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        mark::<2>();
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(cx: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        for _ in times() {
            cx.pend::<T1>();
        }
        exit()
    }
}
