//! An interrupt that wakes a thread, by itself: all of it fits into the cache of a VexRiscv, so that the last of six times is warm.

#![no_std]
#![no_main]

use mainspring::threads::{Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main, Run};
use threads_rv32_mainspring::{Chip, exit, lower, mark, open_lines, reached, request, rounds};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Interrupted = Interrupted, on Line, priority 1;
    }
    threads (switch Soft) {
        Works = Works, priority 1, stack 512;
        Awaits = Awaits, priority 2, stack 512;
    }
}

static EVENT: Semaphore<Scenario> = Semaphore::new(0);

struct Works;
impl Thread for Works {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        for _ in rounds(6) {
            request::<70>(1);
            mark::<73>();
        }
        exit()
    }
}

struct Awaits;
impl Thread for Awaits {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            EVENT.take(&mut cx);
            reached::<72>();
        }
    }
}

struct Interrupted;
impl Run for Interrupted {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        lower();
        let _ = EVENT.give(&mut cx);
        reached::<71>();
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {
        open_lines();
    }
}
