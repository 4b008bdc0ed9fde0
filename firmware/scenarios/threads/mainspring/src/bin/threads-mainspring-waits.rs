//! Threads that wait for what another thread alone can give, and what that one does instead: one case of `waits/cases.rs`, whose number the
//! test writes into the program.

#![no_std]
#![no_main]

use common::{exit, fail};
use mainspring::{Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (tick 4_000) {
        Serves = Serves, priority 4, stack 1024;
        First = First, priority 3, stack 1024;
        Second = Second, priority 2, stack 1024;
        Last = Last, priority 1, stack 1024;
    }
}

include!("../waits.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
