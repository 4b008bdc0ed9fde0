//! Every cycle tried: threads below tasks behind a PLIC.

#![no_std]
#![no_main]

use mainspring::threads::{Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Init, Main, Run, Write};
use tasks_rv32_mainspring as _;

#[path = "../../../../../examples/virt/src/plic.rs"]
mod chip;
use chip::{Chip, end, quiet, send, timer};
#[path = "../../../../tasks/mainspring/src/sweep.rs"]
mod sweep;
use sweep::{Guarded, Tally, broken, verdict};

include!("../threads.rs");

/// Ends the program well.
fn exit() -> ! {
    end(true)
}

/// Ends the program as one that failed.
fn fail() -> ! {
    end(false)
}
