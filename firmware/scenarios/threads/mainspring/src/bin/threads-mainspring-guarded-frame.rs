//! A thread whose frame is larger than its stack, which steps over the guard, too: the next tick finds it.

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
    guard = _stack_end;
    tasks {}
    threads (tick 4_000) {
        Deep = Deep, priority 1, stack 512;
        Base = Base, priority 1, stack 512;
    }
}

include!("../frame.rs");
