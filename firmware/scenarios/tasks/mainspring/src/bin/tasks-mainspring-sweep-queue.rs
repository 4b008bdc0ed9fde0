//! Every cycle tried: messages from tasks and threads, and questions, arrive once each and in their order.

#![no_std]
#![no_main]

use mainspring::threads::{Port, Queue, Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main, Run};
use tasks_mainspring::Chip;
use tasks_mainspring::sweep::{Tally, broken, verdict};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Sends = Sends, on GPIOB, priority 1;
        Also = Also, on GPIOC, priority 2;
        Other = Other, on GPIOD, priority 3;
    }
    threads (waking 2) {
        Hurries = Hurries, priority 5, stack 256;
        Answers = Answers, priority 4, stack 256;
        Receives = Receives, priority 3, stack 256;
        Asks = Asks, priority 2, stack 256;
        Last = Last, priority 1, stack 256;
    }
}

include!("../sweep_queue.rs");

/// The interrupt of that task came; it is pending no more.
fn came(_task: usize) {}

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
