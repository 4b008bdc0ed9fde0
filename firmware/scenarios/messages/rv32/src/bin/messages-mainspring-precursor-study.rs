//! The measurements of study 004, on the board of the study: under page tables, and with its timer of milliseconds.

#![no_std]
#![no_main]

use core::ptr::read_volatile;

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip, mark, times};

type Shared = mainspring::process::Pages<4096>;

include!("../../../study.rs");

/// The timer, and the words of its time.
const TICKTIMER: usize = 0xf001_2000;
const TIME1: usize = TICKTIMER + 4;
const TIME0: usize = TICKTIMER + 8;

mainspring::processes! {
    /// The study's client, and its ticktimer.
    struct System;
    chip = PagedChip<MAIN, true>;
    processes {
        Client = Client { version: Shared::new(), last: 0 }, priority 1, memory 12288, calls (Ticktimer);
        Ticktimer = Ticktimer, priority 2, memory 4096, calls (), device (TICKTIMER, 4096);
    }
}

fn elapsed() -> u64 {
    // SAFETY: registers of this process's device.
    let (low, high) = unsafe {
        (
            read_volatile(TIME0 as *const u32),
            read_volatile(TIME1 as *const u32),
        )
    };
    u64::from(low) | u64::from(high) << 32
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
