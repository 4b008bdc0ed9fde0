//! `t1` hands a message to the more urgent `t2`, which starts with it.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Post, Receive, Run};
use tasks_mainspring::{Chip, exit, input, mark, output};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on GPIOA, priority 1, uses Post<T2>;
        T2 = T2, on UART1, priority 2, inbox [u32; 1];
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, cx: Context<Self>, mut t2: Handles<Self>) {
        let message = input();
        mark();
        let _ = cx.post(&mut t2, message);
    }
}

impl Receive for T2 {
    fn receive(&mut self, message: u32, _: Context<Self>, _: Handles<Self>) {
        mark();
        output(message);
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
