//! `t1` is interrupted by `t2`, which is more urgent and empty.
//!
//! Entry: from the store that makes `t2` pending to its first statement. Exit: from there back into `t1`.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, mark, request};

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
        request(lm3s6965::Interrupt::GPIOB as u16);
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
