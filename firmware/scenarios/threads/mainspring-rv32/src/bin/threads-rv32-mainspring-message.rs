//! A message to a more urgent thread and its reply, by itself: all of it fits into the caches of a VexRiscv, so that the fifth of six times
//! is warm.

#![no_std]
#![no_main]

use mainspring::threads::{Port, Thread};
use mainspring::{Context, Handles, Init, Main};
use threads_rv32_mainspring::{Chip, exit, fail, mark, rounds};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (switch Soft) {
        Asks = Asks, priority 2, stack 512;
        Serves = Serves, priority 6, stack 512;
    }
}

static PORT: Port<Serves, u32, u32> = Port::new();

struct Asks;
impl Thread for Asks {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for round in rounds(6) {
            mark::<42>();
            let answer = PORT.call(&mut cx, round);
            mark::<43>();
            if answer != round + 1 {
                fail();
            }
        }
        exit()
    }
}

struct Serves;
impl Thread for Serves {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        PORT.serve(&mut cx, |question, _| question + 1)
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
