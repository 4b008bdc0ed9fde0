//! Messages between two in one process.

#![no_std]
#![no_main]

use messages_rv32::{Chip, exit, fail, input, mark, times};

include!("../../../same.rs");

mainspring::processes! {
    /// A process that asks itself.
    pub struct System;
    chip = Chip;
    processes {
        Client = Client::NEW, priority 1, memory 2048, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
