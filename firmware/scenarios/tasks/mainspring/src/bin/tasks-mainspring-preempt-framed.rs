//! `preempt`, with the frame that the compiler gives every function of this target unless told otherwise.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, mark, request};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on GPIOC, priority 1;
        T2 = T2, on GPIOD, priority 2;
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        request(lm3s6965::Interrupt::GPIOD as u16);
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
