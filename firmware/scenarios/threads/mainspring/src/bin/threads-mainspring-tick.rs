//! A tick that switches among three equals.

#![no_std]
#![no_main]

use common::{exit, reached};
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (tick 4_000) {
        One = One, priority 1, stack 256;
        Two = Two, priority 1, stack 256;
        Three = Three, priority 1, stack 256;
    }
}

include!("../busy.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
