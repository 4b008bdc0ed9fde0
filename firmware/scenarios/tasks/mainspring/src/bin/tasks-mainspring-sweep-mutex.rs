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
    threads (waking 2, tick 600) {
        High = High, priority 3, stack 256;
        Middle = Middle, priority 2, stack 256;
        Low = Low, priority 1, stack 256;
    }
}

static DATA: Mutex<Sweep, Guarded> = Mutex::new(Guarded::new());
static CHANGED: Condition<Sweep> = Condition::new();
static HIGH: Semaphore<Sweep> = Semaphore::new(1);
static MIDDLE: Semaphore<Sweep> = Semaphore::new(0);
static LOW: Semaphore<Sweep> = Semaphore::new(0);
static BY_HIGH: Tally = Tally::new();
static BY_MIDDLE: Tally = Tally::new();
static BY_LOW: Tally = Tally::new();

struct Wakes;
impl Run for Wakes {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let _ = HIGH.give(&mut cx);
        let _ = MIDDLE.give(&mut cx);
    }
}

struct Also;
impl Run for Also {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let _ = LOW.give(&mut cx);
        CHANGED.notify_all(&mut cx);
    }
}

struct Other;
impl Run for Other {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

struct High;
impl Thread for High {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            HIGH.take(&mut cx);
            DATA.lock(&mut cx).work();
            BY_HIGH.add();
        }
    }
}

struct Middle;
impl Thread for Middle {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            let _ = MIDDLE.take_within(&mut cx, Ticks(1));
            if let Ok(mut data) = DATA.lock_within(&mut cx, Ticks(1)) {
                data.work();
                BY_MIDDLE.add();
            }
        }
    }
}

struct Low;
impl Thread for Low {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        {
            let mut data = DATA.lock(&mut cx);
            data.work();
            let _ = LOW.take_within(&mut cx, Ticks(1));
            data.work();
            let (data, _) = CHANGED.wait_within(&mut cx, data, Ticks(1));
            drop(data);
            BY_LOW.add();
        }
        let total = {
            let data = DATA.lock(&mut cx);
            if data.is_abandoned() {
                broken();
            }
            cx.atomic(|_| (data.total(), BY_HIGH.get() + BY_MIDDLE.get() + 2 * BY_LOW.get()))
        };
        verdict(total.0 == total.1)
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
