//! Every cycle tried: messages from tasks and threads, and questions, arrive once each and in their order.

#![no_std]
#![no_main]

use mainspring::threads::{Port, Queue, Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main, Run};
use tasks_rv32_mainspring::sweep::{Tally, broken, verdict};
use tasks_rv32_mainspring::{Chip, came};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Sends = Sends, on Line, priority 1;
        Also = Also, on Line2, priority 2;
        Other = Other, on Line3, priority 3;
    }
    threads (waking 2, switch D) {
        Hurries = Hurries, priority 5, stack 512;
        Answers = Answers, priority 4, stack 512;
        Receives = Receives, priority 3, stack 512;
        Asks = Asks, priority 2, stack 512;
        Last = Last, priority 1, stack 512;
    }
}

include!("../../../../tasks/mainspring/src/sweep_queue.rs");

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
