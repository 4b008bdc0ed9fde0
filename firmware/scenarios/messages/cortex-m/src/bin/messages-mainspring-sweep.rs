//! Every cycle tried: an interrupt's process comes between two others that exchange messages.

#![no_std]
#![no_main]

use messages_cortex_m::{Chip, exit, fail};

const BELOW: u16 = 1;
const ABOVE: u16 = 2;

type Shared = mainspring::process::Buffer<128>;

include!("../../../sweep.rs");

mainspring::processes! {
    /// Two who exchange messages, and two whom interrupts start.
    struct System;
    chip = Chip;
    processes {
        Client = Client { buffer: Shared::new() }, priority 1, memory 1024, calls (Server);
        Server = Server { last: 0 }, priority 2, memory 512, calls ();
        Below = Below { heard: 0 }, priority 1, memory 512, calls (Server), on BELOW;
        Above = Above, priority 4, memory 512, calls (Server), on ABOVE;
    }
}

fn begins() {}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
