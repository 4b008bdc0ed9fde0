//! The scenarios as a user of embassy-executor 0.10.0 writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

use lm3s6965 as _;

#[path = "../../common.rs"]
mod common;
pub use common::*;

use core::cell::Cell;

use embassy_sync::blocking_mutex::Mutex;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use lm3s6965::Interrupt;

/// A number that tasks of two executors share, of which one pre-empts the other.
pub type Shared = Mutex<CriticalSectionRawMutex, Cell<u32>>;

/// The second interrupt may come while the task of the first runs.
pub fn prioritize(low: Interrupt, high: Interrupt) {
    // SAFETY: nothing runs yet, and no section of these programs is one of BASEPRI.
    unsafe {
        let mut nvic = cortex_m::Peripherals::steal().NVIC;
        nvic.set_priority(low, 0xc0);
        nvic.set_priority(high, 0xa0);
    }
}
