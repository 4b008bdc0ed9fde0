//! Every cycle tried: threads and tasks that give, yield and hand a mutex over inside a critical section of other code, in which
//! no other thread may run.
//!
//! `Low` gives to `High`, which is more urgent, yields to `Equal`, and gives the mutex back that `High` waits for.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mainspring::threads::{Flags, Mutex, Semaphore, Thread, Wanted};
use mainspring::{Context, Handles, Init, Main, Run};
use tasks_rv32_mainspring::sweep::{Guarded, Tally, broken, verdict};
use tasks_rv32_mainspring::{Chip, came};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Wakes = Wakes, on Line, priority 1;
        Also = Also, on Line2, priority 2;
        Other = Other, on Line3, priority 3;
    }
    threads (waking 2, switch D) {
        High = High, priority 3, stack 512;
        Flagged = Flagged, priority 2, stack 512;
        Low = Low, priority 1, stack 512;
        Equal = Equal, priority 1, stack 512;
    }
}

include!("../../../../tasks/mainspring/src/sweep_held.rs");

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
