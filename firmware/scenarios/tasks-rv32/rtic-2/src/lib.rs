//! The RV32 scenarios as a user of RTIC 2 writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

use riscv_rt as _;

pub use riscv::interrupt;

#[path = "../../common.rs"]
mod common;
pub use common::*;

/// What RTIC asks of a device: nothing here is used.
pub struct Peripherals;

impl Peripherals {
    /// Nothing.
    ///
    /// # Safety
    ///
    /// None is needed.
    pub unsafe fn steal() -> Self {
        Peripherals
    }
}
