//! Every cycle tried: a mutex that is kept while its owner waits, and what becomes of its owner meanwhile.
//!
//! `Low` has the mutex and waits with it; whenever a task wakes `High`, that one wants it, and lends its urgency. `Middle`
//! must not run in between. The mutex's data shows when two have it.

#![no_std]
#![no_main]

use mainspring::threads::{Condition, Mutex, Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_rv32_mainspring::sweep::{Guarded, Tally, broken, verdict};
use tasks_rv32_mainspring::{Chip, came};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Wakes = Wakes, on Line, priority 1;
        Also = Also, on Line2, priority 2;
        Other = Other, on Line3, priority 3;
        Time = Time, on A, priority 1;
    }
    threads (waking 2, switch D, ticked Time) {
        High = High, priority 3, stack 512;
        Middle = Middle, priority 2, stack 512;
        Low = Low, priority 1, stack 512;
    }
}

include!("../../../../tasks/mainspring/src/sweep_mutex.rs");

struct Time;
impl Run for Time {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.tick();
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    /// Time passes when no thread has anything to do.
    fn idle(cx: Context<Idle<Self>>, (): Handles<Idle<Self>>) -> ! {
        loop {
            cx.pend::<Time>();
        }
    }
}
