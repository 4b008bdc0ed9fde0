//! The RV32 scenarios as a user of Embassy writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

use core::cell::Cell;

use embassy_executor::Executor;
use embassy_sync::blocking_mutex::Mutex;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use riscv as _;
use riscv_rt as _;

#[path = "../../common.rs"]
mod common;
pub use common::*;

/// A number that tasks and interrupts share.
pub type Shared = Mutex<CriticalSectionRawMutex, Cell<u32>>;

/// For good: `main` calls it, which never returns.
pub fn forever(executor: &mut Executor) -> &'static mut Executor {
    // SAFETY: it is a local variable of `main`.
    unsafe { core::mem::transmute(executor) }
}
