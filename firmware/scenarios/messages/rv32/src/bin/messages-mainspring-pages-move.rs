//! Pages that change hands.

#![no_std]
#![no_main]

use messages_rv32::{PORTS, PagedChip as Chip, exit, fail, mark, times};

include!("../../../moves.rs");

mainspring::processes! {
    /// One gives, one takes and gives back.
    pub struct System;
    chip = Chip;
    processes {
        Client = Client, priority 1, memory 4096, calls (Server), device (PORTS, 4096), frame 4096;
        Server = Server, priority 2, memory 4096, calls (), device (PORTS, 4096);
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
