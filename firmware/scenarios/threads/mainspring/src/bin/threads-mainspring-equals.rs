//! Equals of which one was pre-empted, or whose turn an interrupt ends, or which yield with much in registers.

#![no_std]
#![no_main]

use common::{exit, lower, mark, request, turns};
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Ends = Ends, on IRQ1, priority 1;
    }
    threads {
        Interrupted = Interrupted, priority 4, stack 256;
        InterruptedToo = InterruptedToo, priority 4, stack 256;
        Preempted = Preempted, priority 3, stack 256;
        Yields = Yields, priority 3, stack 256;
        Six = Six, priority 2, stack 256;
        SixToo = SixToo, priority 2, stack 256;
        Eight = Eight, priority 1, stack 256;
        EightToo = EightToo, priority 1, stack 256;
    }
}

include!("../equals.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
