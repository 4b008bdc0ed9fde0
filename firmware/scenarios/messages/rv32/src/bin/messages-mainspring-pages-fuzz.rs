//! A process that asks the kernel for anything, behind pages.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

const RAM: usize = 0x1_0000;
type Shared = mainspring::process::Pages<4096>;

/// Pages, mostly whole ones, and one.
fn named(place: usize, random: usize) -> [usize; 2] {
    let odd = if random >> 24 < 160 {
        0
    } else {
        random >> 8 & 0xfff
    };
    let pages = if random & 3 == 0 { random >> 2 & 7 } else { 1 };
    [place & !0xfff | odd, pages * 4096]
}

include!("../../hand.rs");
include!("../../../fuzz.rs");

mainspring::processes! {
    /// One that does anything, and three that must not notice.
    struct System;
    chip = PagedChip<MAIN>;
    processes {
        Attacker = Attacker { random: 0, buffer: Shared::new() }, priority 1, memory 12288, calls (Judge, Server), frame 4096;
        Poker = Poker { own: Canary::NEW, buffer: Shared::new() }, priority 1, memory 12288, calls (Attacker, Server);
        Server = Server { own: Canary::NEW, frame: None }, priority 2, memory 4096, calls (Judge);
        Judge = Judge { own: Canary::NEW, calls: 0, random: 0 }, priority 3, memory 4096, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
