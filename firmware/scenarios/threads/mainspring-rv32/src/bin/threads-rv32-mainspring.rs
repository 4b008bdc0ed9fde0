//! Operations between threads, each three times: the last has its cost when everything has happened before.

#![no_std]
#![no_main]

use mainspring::threads::{Flags, Mutex, Port, Queue, Semaphore, Thread, Ticks, Wanted};
use mainspring::{Context, Handles, Init, Initials, Main, Run};
use threads_rv32_mainspring::{
    Chip, exit, fail, lower, mark, open_lines, reached, repeat, request, rounds, turns,
};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Interrupted = Interrupted, on Line, priority 1;
        Timer, on Timer, priority 1;
    }
    threads (switch Soft, ticked Timer) {
        First = First, priority 1, stack 512;
        Second = Second, priority 1, stack 512;
        Works = Works, priority 2, stack 512;
        Answers = Answers, priority 3, stack 512;
        Serves = Serves, priority 6, stack 512;
        Awaits = Awaits, priority 4, stack 512;
        Sleeps = Sleeps, priority 5, stack 512;
    }
}

include!("../../../mainspring/src/primitives.rs");

struct Timer(threads_rv32_mainspring::Ticks);
impl Run for Timer {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        self.0.again();
        cx.tick();
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) -> Initials<Self> {
        open_lines();
        Initials::<Self> {
            Timer: Timer(threads_rv32_mainspring::Ticks::start(20_000)),
        }
    }
}
