//! A process with two threads, behind pages.

#![no_std]
#![no_main]

use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip};

include!("../../../team.rs");

mainspring::processes! {
    /// One with two threads, whom it asks, and those who ask.
    struct System;
    chip = PagedChip<MAIN>;
    processes {
        Low = Low, priority 1, memory 4096, calls (Server, Order);
        Middle = Middle, priority 3, memory 4096, calls (Order);
        High = High, priority 5, memory 4096, calls (Server, Disk, Order, Middle);
        Server = Server { count: AtomicUsize::new(0) }, priority 2, memory 4096, calls (Disk, Order), threads 2 stack 1024;
        Disk = Disk, priority 0, memory 4096, calls (High);
        Order = Order { came: 0 }, priority 6, memory 4096, calls ();
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
