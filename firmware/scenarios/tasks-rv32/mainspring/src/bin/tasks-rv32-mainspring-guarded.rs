//! As the program with one task, with a guard below the stack, which a PMP has to heed that is the manual's.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_rv32_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    guard = __estack;
    tasks {
        T1 = T1, on A, priority 1;
    }
}

struct T1;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        mark::<1>();
        exit()
    }
}
