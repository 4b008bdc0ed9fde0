//! The same workload in supervisor mode, under Sv32, in the memory at 0.

#![no_std]
#![no_main]

use core::arch::global_asm;

global_asm!(include_str!("../paged.s"));

// SAFETY: the start goes there by this name, and nothing else has it.
#[unsafe(no_mangle)]
extern "C" fn supervisor() -> ! {
    speed_rv32::end(speed_rv32::work())
}
