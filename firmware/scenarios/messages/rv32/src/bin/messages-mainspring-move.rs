//! Memory that changes hands, and what it costs all messages that a table has frames.

#![no_std]
#![no_main]

use messages_rv32::{Chip, exit, fail, mark, times};

include!("../../../moves.rs");

mainspring::processes! {
    /// One gives, one takes and gives back.
    pub struct System;
    chip = Chip;
    processes {
        Client = Client, priority 1, memory 512, calls (Server), frame 128;
        Server = Server, priority 2, memory 512, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
