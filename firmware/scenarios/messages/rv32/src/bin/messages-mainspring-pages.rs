//! Round trips of messages between two processes, protected by page tables.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip, input, mark, times};

/// The memory that is lent.
type Shared = mainspring::process::Pages<4096>;

include!("../../../scalars.rs");

mainspring::processes! {
    /// One asks, one answers.
    pub struct System;
    chip = PagedChip<MAIN>;
    processes {
        Client = Client::NEW, priority 1, memory 8192, calls (Server);
        Server = Server, priority 2, memory 4096, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
