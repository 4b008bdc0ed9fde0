//! Nothing leaks, by regions of an MPU.

#![no_std]
#![no_main]

use core::arch::asm;

use messages_cortex_m::{Chip, exit, fail};

const RAM: usize = 0x2000_0000;
const STEP: usize = 128;
const SPAN: usize = 0x8000;
const SMALL: usize = 512;
type Shared = mainspring::process::Buffer<128>;

/// The beginning of the code, which nobody may write to.
const CODE: usize = 0x400;

include!("../../painted.rs");
include!("../../../leaks.rs");

mainspring::processes! {
    /// A victim and its server, and a spy whose server says where to look.
    struct System;
    chip = Chip;
    processes {
        Victim = Victim { buffer: Shared::new(), frame: None }, priority 2, memory 2048, calls (Server), frame 128;
        Server = Server { kept: 0xbbbb_0000 }, priority 3, memory 512, calls ();
        Guide = Guide { next: RAM, looked: 0, seen: 0 }, priority 4, memory 512, calls ();
        Spy = Spy { kept: 0xcccc_0000 }, priority 1, memory 512, calls (Guide, Server, Victim);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
