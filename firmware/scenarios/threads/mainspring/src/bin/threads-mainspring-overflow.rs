//! A thread whose stack overflows: the tick finds it, and names it.

#![no_std]
#![no_main]

use core::hint::black_box;

use common::exit;
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (tick 4_000) {
        Shallow = Shallow, priority 1, stack 256;
        Deep = Deep, priority 1, stack 256;
        Last = Last, priority 1, stack 256;
    }
}

/// Uses more of the stack than there is, but not all of what lies below, and stays there.
struct Deep;
impl Thread for Deep {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        let mut numbers = [0_u32; 56];
        for round in 0..100_000 {
            black_box(&mut numbers)[round % 56] = 1;
        }
        exit()
    }
}

/// Threads that do nothing.
macro_rules! idle {
    ($($thread:ident)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
        }
    )*};
}

idle!(Shallow Last);

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
