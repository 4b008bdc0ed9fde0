//! Every cycle tried: threads and tasks that give, yield and hand a mutex over inside a critical section of other code, in which
//! no other thread may run.
//!
//! `Low` gives to `High`, which is more urgent, yields to `Equal`, and gives the mutex back that `High` waits for.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mainspring::threads::{Flags, Mutex, Semaphore, Thread, Wanted};
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
    threads (waking 2) {
        High = High, priority 3, stack 256;
        Flagged = Flagged, priority 2, stack 256;
        Low = Low, priority 1, stack 256;
        Equal = Equal, priority 1, stack 256;
    }
}

include!("../sweep_held.rs");

/// The interrupt of that task came; it is pending no more.
fn came(_task: usize) {}

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
