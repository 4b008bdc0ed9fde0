//! Shared by the programs: the start and the way out (`common.s`); some have the trap handler (`trap.s`), and rows (`row.s`).
//!
//! They are assembly, so that every core runs the same text whatever compiler builds it. A program defines `measure`,
//! which is called three times: with cold caches first, and warm ones in the end.

#![no_std]

use core::arch::global_asm;
use core::panic::PanicInfo;

global_asm!(include_str!("common.s"), options(raw));

/// Nothing here panics.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
