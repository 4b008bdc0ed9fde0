//! A process with two threads, by regions of PMP.

#![no_std]
#![no_main]

use messages_rv32::{Chip, exit, fail};

include!("../../../team.rs");

mainspring::processes! {
    /// One with two threads, whom it asks, and those who ask.
    struct System;
    chip = Chip;
    processes {
        Low = Low, priority 1, memory 512, calls (Server, Order);
        Middle = Middle, priority 3, memory 512, calls (Order);
        High = High, priority 5, memory 512, calls (Server, Disk, Order, Middle);
        Server = Server { count: AtomicUsize::new(0) }, priority 2, memory 1024, calls (Disk, Order), threads 2 stack 512;
        Disk = Disk, priority 0, memory 512, calls (High);
        Order = Order { came: 0 }, priority 6, memory 512, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
