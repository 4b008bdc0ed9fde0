//! Every cycle tried: threads whose waits end by themselves, with a clock and no ticks.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::threads::{Mutex, Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Init, Main, Run};
use sweep::{Tally, broken, verdict};
use threads_rv32_mainspring::{Chip, Clint, exit, fail, open_lines};

#[allow(dead_code)] // Its other programs use the rest.
#[path = "../../../../tasks/mainspring/src/sweep.rs"]
mod sweep;

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Low = Low, on Line, priority 1;
        Time = Time, on Timer, priority 2;
    }
    threads (
        waking 2,
        switch Soft,
        ticked Time,
        // SAFETY: nothing else in this program uses the timer.
        clock (Clint = unsafe { Clint::new() }, tick TICK)
    ) {
        Sleeps = Sleeps, priority 3, stack 512;
        Waits = Waits, priority 2, stack 512;
        Last = Last, priority 1, stack 512;
    }
}

include!("../../../../tasks/mainspring/src/sweep_tickless.rs");

/// The interrupt whose task ran last. The harness that drives the line looks here, and lowers it.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into this program.
static ACKNOWLEDGED: AtomicU32 = AtomicU32::new(0);

/// The line of that task falls.
fn came(_task: usize) {
    ACKNOWLEDGED.store(threads_rv32_mainspring::Interrupt::Line as u32, Relaxed);
}

impl Main for Sweep {
    fn init(_: Init<Self>) {
        open_lines();
    }
}
