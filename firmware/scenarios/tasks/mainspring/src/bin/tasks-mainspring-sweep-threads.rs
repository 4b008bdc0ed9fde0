//! Every cycle tried: threads that yield, wait for what tasks give, and share a resource with a task.
//!
//! `First` and `Second` are equals and yield to each other in and around their work; whenever a task gives, `Urgent` runs
//! before either goes on. `Last` runs when all have finished.

#![no_std]
#![no_main]

use mainspring::threads::{Flags, Semaphore, Thread, Wanted};
use mainspring::{Context, Handles, Init, Main, Run, Write};
use tasks_mainspring::Chip;
use tasks_mainspring::sweep::{Guarded, Tally, broken, verdict};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Among: Guarded = Guarded::new();
        Shared: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on GPIOB, priority 1;
        Mid = Mid, on GPIOC, priority 2, uses Write<Shared>;
        High = High, on GPIOD, priority 3;
    }
    threads (waking 2) {
        Urgent = Urgent, priority 3, stack 256;
        First = First, priority 2, stack 256, uses (Write<Among>, Write<Shared>);
        Second = Second, priority 2, stack 256, uses (Write<Among>, Write<Shared>);
        Last = Last, priority 1, stack 256, uses (Write<Among>, Write<Shared>);
    }
}

include!("../sweep_threads.rs");

/// The interrupt of that task came; it is pending no more.
fn came(_task: usize) {}

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
