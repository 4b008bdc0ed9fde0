//! The measurements of study 004, under PMP. The time is the core's own count of cycles, where the study has a counter of milliseconds; the
//! division is the study's.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::{Chip, exit, fail, mark, times};

type Shared = mainspring::process::Buffer<128>;

include!("../../../study.rs");

mainspring::processes! {
    /// The study's client, and its ticktimer.
    struct System;
    chip = Chip;
    processes {
        Client = Client { version: Shared::new(), last: 0 }, priority 1, memory 2048, calls (Ticktimer);
        Ticktimer = Ticktimer, priority 2, memory 512, calls ();
    }
}

const TICKS_PER_MS: u64 = 100_000;

fn elapsed() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: reading the counters has no effect.
    unsafe { asm!("csrr {}, cycle\n csrr {}, cycleh", out(reg) low, out(reg) high, options(nomem, nostack)) };
    (u64::from(low) | u64::from(high) << 32) / TICKS_PER_MS
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
