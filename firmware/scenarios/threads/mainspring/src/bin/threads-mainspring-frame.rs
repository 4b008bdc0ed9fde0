//! A thread whose frame is larger than its stack, as every tick finds by the stack pointer.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::mem::MaybeUninit;

use common::exit;
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (tick 4_000) {
        Deep = Deep, priority 1, stack 512;
        Base = Base, priority 1, stack 512;
    }
}

include!("../frame.rs");
