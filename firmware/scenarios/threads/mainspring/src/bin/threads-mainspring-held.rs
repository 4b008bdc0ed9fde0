//! A thread that waits inside a critical section. No other thread may run there, so the wait could never end, and a panic says so.

#![no_std]
#![no_main]

use common::exit;
use core::hint::spin_loop;
use cortex_m::interrupt;
use mainspring::threads::{Mutex, Thread, Ticks};
use mainspring::{Context, Handles, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (tick 4_000) {
        Owner = Owner, priority 1, stack 256;
        Other = Other, priority 2, stack 512;
    }
}

static DATA: Mutex<Scenario, u32> = Mutex::new(0);

/// Has the mutex, and is pre-empted with it.
struct Owner;
impl Thread for Owner {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let _data = DATA.lock(&mut cx);
        loop {
            spin_loop();
        }
    }
}

/// Wants the mutex, with interrupts held back.
struct Other;
impl Thread for Other {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.sleep(Ticks(2));
        interrupt::free(|_| *DATA.lock(&mut cx) += 1);
        exit()
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
