//! Pages that change hands.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip, mark, times};

include!("../../../moves.rs");

mainspring::processes! {
    /// One gives, one takes and gives back.
    pub struct System;
    chip = PagedChip<MAIN>;
    processes {
        Client = Client, priority 1, memory 4096, calls (Server), frame 4096;
        Server = Server, priority 2, memory 4096, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
