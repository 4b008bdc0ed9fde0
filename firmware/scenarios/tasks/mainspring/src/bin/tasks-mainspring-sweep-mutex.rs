//! Every cycle tried: a mutex that is kept while its owner waits, and what becomes of its owner meanwhile.
//!
//! `Low` has the mutex and waits with it; whenever a task wakes `High`, that one wants it, and lends its urgency. `Middle`
//! must not run in between. The mutex's data shows when two have it.

#![no_std]
#![no_main]

use mainspring::threads::{Condition, Mutex, Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Init, Main, Run};
use tasks_mainspring::Chip;
use tasks_mainspring::sweep::{Guarded, Tally, broken, verdict};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Wakes = Wakes, on GPIOB, priority 1;
        Also = Also, on GPIOC, priority 2;
        Other = Other, on GPIOD, priority 3;
    }
    threads (waking 2, tick 800) {
        High = High, priority 3, stack 256;
        Middle = Middle, priority 2, stack 256;
        Low = Low, priority 1, stack 256;
    }
}

include!("../sweep_mutex.rs");

/// The interrupt of that task came; it is pending no more.
fn came(_task: usize) {}

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
