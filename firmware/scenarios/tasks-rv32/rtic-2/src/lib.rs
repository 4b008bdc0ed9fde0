//! The RV32 scenarios as a user of RTIC 2 writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

use riscv_rt as _;

pub use riscv::interrupt;

#[path = "../../common.rs"]
mod common;
pub use common::*;

/// The interface that RTIC asks of a device; none of it is used here.
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

/// Exceptions, by which this backend starts its tasks, go to riscv-rt's handler. That has set so by itself, but Ibex takes them to where
/// a table begins, aligned to 256 bytes.
#[inline(always)]
pub fn take_exceptions() {
    #[cfg(target_feature = "c")]
    // SAFETY: the table leads to where `mtvec` has led.
    unsafe {
        core::arch::asm!("la {0}, exceptions", "csrw mtvec, {0}", out(reg) _, options(nostack, preserves_flags));
    }
}

#[cfg(target_feature = "c")]
core::arch::global_asm!(
    ".pushsection .text.exceptions, \"ax\"",
    ".balign 256",
    ".global exceptions",
    "exceptions: j _start_trap",
    ".popsection",
);
