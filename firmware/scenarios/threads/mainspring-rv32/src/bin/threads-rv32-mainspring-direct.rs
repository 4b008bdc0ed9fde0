//! A switch to an equal, by itself: all of it fits into the cache of a VexRiscv, so that the last of six times is warm.

#![no_std]
#![no_main]

use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main};
use threads_rv32_mainspring::{Chip, exit, mark, rounds};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (switch Soft) {
        First = First, priority 1, stack 512;
        Second = Second, priority 1, stack 512;
    }
}

struct First;
impl Thread for First {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in rounds(6) {
            mark::<10>();
            cx.yield_now();
            mark::<12>();
        }
        exit()
    }
}

struct Second;
impl Thread for Second {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            mark::<11>();
            cx.yield_now();
            mark::<13>();
        }
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
