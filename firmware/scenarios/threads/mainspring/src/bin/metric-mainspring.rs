//! The operations of Thread-Metric, in programs of our own: one operation of each of its eight tests between two marks.

#![no_std]
#![no_main]

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use common::{exit, fail, mark, reached, repeat, request, rounds, turns};
use mainspring::pool::Box;
use mainspring::threads::{Queue, Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Metric;
    device = Chip;
    tasks {
        Gives = Gives, on IRQ1, priority 1;
        Resumes = Resumes, on IRQ2, priority 1;
    }
    threads {
        One = One, priority 1, stack 256;
        Two = Two, priority 1, stack 256;
        Three = Three, priority 1, stack 256;
        Works = Works, priority 2, stack 512;
        Upper = Upper, priority 3, stack 256;
    }
}

include!("../metric.rs");

struct Gives;
impl Run for Gives {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        count(4);
        let _ = EVENT.give(&mut cx);
    }
}

struct Resumes;
impl Run for Resumes {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        count(5);
        cx.resume::<Upper>();
    }
}

impl Main for Metric {
    fn init(_: Init<Self>) {}
}
