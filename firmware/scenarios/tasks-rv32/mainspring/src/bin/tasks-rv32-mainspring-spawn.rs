//! `t1` hands a message to the more urgent `t2`, which starts with it.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Post, Receive, Run};
use tasks_rv32_mainspring::{Chip, exit, input, mark, output, times};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on A, priority 1, uses Post<T2>;
        T2 = T2, on B, priority 2, inbox [u32; 1];
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, cx: Context<Self>, mut t2: Handles<Self>) {
        let message = input();
        mark::<1>();
        let _ = cx.post(&mut t2, message);
    }
}

impl Receive for T2 {
    fn receive(&mut self, message: u32, _: Context<Self>, _: Handles<Self>) {
        mark::<2>();
        output(message);
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
