//! A process that asks the kernel for anything, behind an MPU.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_cortex_m::{Chip, exit, fail};

const RAM: usize = 0x2000_0000;
type Shared = mainspring::process::Buffer<128>;

/// A piece of memory, mostly of a size that there is.
fn named(place: usize, random: usize) -> [usize; 2] {
    if random >> 24 < 160 {
        [place & !0x7f, 5 + (random & 7)]
    } else {
        [place, random]
    }
}

include!("../../hand.rs");
include!("../../../fuzz.rs");

mainspring::processes! {
    /// One that does anything, and three that must not notice.
    struct System;
    chip = Chip;
    processes {
        Attacker = Attacker { random: 0, buffer: Shared::new() }, priority 1, memory 2048, calls (Judge, Server), frame 128;
        Poker = Poker { own: Canary::NEW, buffer: Shared::new() }, priority 1, memory 2048, calls (Attacker, Server);
        Server = Server { own: Canary::NEW, frame: None }, priority 2, memory 1024, calls (Judge);
        Judge = Judge { own: Canary::NEW, calls: 0, random: 0 }, priority 3, memory 1024, calls ();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
