//! A thread that sleeps for a tick, with a clock and no ticks.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::threads::{Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Init, Main, Run};
use threads_rv32_mainspring::{Chip, Clint, exit, mark, open_lines, reached, rounds};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Timer = Timer, on Timer, priority 1;
    }
    threads (
        switch Soft,
        ticked Timer,
        // SAFETY: nothing else in this program uses the timer.
        clock (Clint = unsafe { Clint::new() }, tick 20_000)
    ) {
        Works = Works, priority 1, stack 512;
        Sleeps = Sleeps, priority 2, stack 512;
    }
}

include!("../../../mainspring/src/tickless.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {
        open_lines();
    }
}
