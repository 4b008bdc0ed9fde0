//! `t1` enters a section that holds back every interrupt.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on GPIOA, priority 1;
    }
}

struct T1;

impl Run for T1 {
    fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {
        mark();
        cx.atomic(|_| mark());
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
