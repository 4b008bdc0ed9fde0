//! Nothing leaks, by pages.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

const RAM: usize = 0x1_0000;
const STEP: usize = 512;
const SPAN: usize = 0x10000;
const SMALL: usize = 4096;
type Shared = mainspring::process::Pages<4096>;

/// The beginning of the code, which nobody may write to.
const CODE: usize = MAIN;

include!("../../painted.rs");
include!("../../../leaks.rs");

mainspring::processes! {
    /// A victim and its server, and a spy whose server says where to look.
    struct System;
    chip = PagedChip<MAIN>;
    processes {
        Victim = Victim { buffer: Shared::new(), frame: None }, priority 2, memory 12288, calls (Server), frame 4096;
        Server = Server { kept: 0xbbbb_0000 }, priority 3, memory 4096, calls ();
        Guide = Guide { next: RAM, looked: 0, seen: 0 }, priority 4, memory 4096, calls ();
        Spy = Spy { kept: 0xcccc_0000 }, priority 1, memory 4096, calls (Guide, Server, Victim);
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
