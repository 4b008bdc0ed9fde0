//! Every cycle tried: threads whose waits end by themselves, with a clock and no ticks.

#![no_std]
#![no_main]

use mainspring::threads::{Mutex, Semaphore, Thread, Ticks};
use mainspring::time::SysTick;
use mainspring::{Context, Handles, Init, Main, Run};
use tasks_mainspring::Chip;
use tasks_mainspring::sweep::{Tally, broken, verdict};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Low = Low, on GPIOB, priority 1;
        Time = Time, on SysTick, priority 2;
        High = High, on GPIOD, priority 3;
    }
    threads (
        waking 2,
        ticked Time,
        // SAFETY: nothing else in this program uses SysTick.
        clock (SysTick<8_000_000> = unsafe { SysTick::new() }, tick TICK)
    ) {
        Sleeps = Sleeps, priority 3, stack 256;
        Waits = Waits, priority 2, stack 256;
        Last = Last, priority 1, stack 256;
    }
}

include!("../sweep_tickless.rs");

struct High;
impl Run for High {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

/// The interrupt of that task came; it is pending no more.
fn came(_task: usize) {}

impl Main for Sweep {
    fn init(_: Init<Self>) {}
}
