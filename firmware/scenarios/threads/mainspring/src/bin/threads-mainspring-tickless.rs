//! A thread that sleeps for a tick, with a clock and no ticks.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use common::{exit, mark, reached, rounds};
use mainspring::threads::{Semaphore, Thread, Ticks};
use mainspring::time::SysTick;
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Timer = Timer, on SysTick, priority 1;
    }
    threads (
        ticked Timer,
        // SAFETY: nothing else in this program uses SysTick.
        clock (SysTick<8_000_000> = unsafe { SysTick::new() }, tick 4_000)
    ) {
        Works = Works, priority 1, stack 256;
        Sleeps = Sleeps, priority 2, stack 256;
    }
}

include!("../tickless.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
