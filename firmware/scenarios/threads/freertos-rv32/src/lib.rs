//! FreeRTOS on RV32, whose scenarios are in C: `../freertos/c`, and `c/` for what is of the core.

#![no_std]

use riscv_rt as _;

#[path = "../../../tasks-rv32/common.rs"]
#[allow(dead_code)] // Points and interrupts are the scenarios'.
mod board;

/// The way out, for the scenarios.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
pub extern "C" fn scenario_ends() -> ! {
    board::exit()
}

/// The way out where a scenario finds something wrong.
#[unsafe(no_mangle)] // SAFETY: as above.
pub extern "C" fn scenario_fails() -> ! {
    board::fail()
}

unsafe extern "C" {
    /// Sends traps to FreeRTOS.
    pub unsafe fn begin();
}
