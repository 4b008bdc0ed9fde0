//! Round trips of messages between two processes.

#![no_std]
#![no_main]

use messages_cortex_m::{Chip, exit, fail, input, mark, times};

/// The memory that is lent.
type Shared = mainspring::process::Buffer<128>;

include!("../../../scalars.rs");

mainspring::processes! {
    /// One asks, one answers.
    pub struct System;
    chip = Chip;
    processes {
        Client = Client::NEW, priority 1, memory 1024, calls (Server);
        Server = Server, priority 2, memory 512, calls ();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
