//! Threads below tasks behind the PLIC of an FE310.

#![no_std]
#![no_main]

use mainspring::threads::{Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Init, Main, Run, Write};
use riscv_rt as _;

#[path = "../plic.rs"]
mod chip;
use chip::{Chip, end, quiet, send, timer};
#[path = "../../../../scenarios/tasks/mainspring/src/sweep.rs"]
mod sweep;
use sweep::{Guarded, Tally, broken, verdict};

include!("../../../../scenarios/tasks-rv32/plic/src/threads.rs");

/// Ends the program well.
fn exit() -> ! {
    end(true)
}

/// Ends the program as one that failed.
fn fail() -> ! {
    end(false)
}
