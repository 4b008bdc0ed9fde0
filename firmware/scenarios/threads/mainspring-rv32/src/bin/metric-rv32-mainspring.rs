//! The operations of Thread-Metric, in programs of our own: one operation of each of its eight tests between two marks.

#![no_std]
#![no_main]

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::pool::Box;
use mainspring::threads::{Queue, Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main, Run};
use threads_rv32_mainspring::{
    Chip, exit, fail, lower, mark, open_lines, reached, repeat, request, rounds, turns,
};

mainspring::app! {
    struct Metric;
    device = Chip;
    tasks {
        Comes = Comes { times: 0 }, on Line, priority 1;
    }
    threads (switch Soft) {
        One = One, priority 1, stack 512;
        Two = Two, priority 1, stack 512;
        Three = Three, priority 1, stack 512;
        Works = Works, priority 2, stack 1024;
        Upper = Upper, priority 3, stack 512;
    }
}

include!("../../../mainspring/src/metric.rs");

/// The line is one: first it gives, then it resumes.
struct Comes {
    times: u32,
}

impl Run for Comes {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        lower();
        self.times += 1;
        if self.times <= 6 {
            count(4);
            let _ = EVENT.give(&mut cx);
        } else {
            count(5);
            cx.resume::<Upper>();
        }
    }
}

impl Main for Metric {
    fn init(_: Init<Self>) {
        open_lines();
    }
}
