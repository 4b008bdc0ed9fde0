//! Operations between threads, each three times: the last has its cost when everything has happened before.

#![no_std]
#![no_main]

use common::{exit, fail, lower, mark, reached, repeat, request, rounds, turns};
use mainspring::threads::{Flags, Mutex, Port, Queue, Semaphore, Thread, Ticks, Wanted};
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Interrupted = Interrupted, on IRQ1, priority 1;
    }
    threads (tick 4_000) {
        First = First, priority 1, stack 256;
        Second = Second, priority 1, stack 256;
        Works = Works, priority 2, stack 256;
        Answers = Answers, priority 3, stack 256;
        Serves = Serves, priority 6, stack 256;
        Awaits = Awaits, priority 4, stack 256;
        Sleeps = Sleeps, priority 5, stack 256;
    }
}

include!("../primitives.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
