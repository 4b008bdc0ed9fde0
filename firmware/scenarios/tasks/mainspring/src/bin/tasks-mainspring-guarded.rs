//! As the program with one task, with a guard below the stack.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    guard = _stack_end;
    tasks {
        T1 = T1, on GPIOA, priority 1;
    }
}

struct T1;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        mark();
        exit()
    }
}
