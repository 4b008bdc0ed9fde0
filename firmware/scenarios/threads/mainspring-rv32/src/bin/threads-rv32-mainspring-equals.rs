//! Equals of which one was pre-empted, or whose turn an interrupt ends, or which yield with much in registers.

#![no_std]
#![no_main]

use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main, Run};
use threads_rv32_mainspring::{Chip, exit, lower, mark, open_lines, request, turns};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Ends = Ends, on Line, priority 1;
    }
    threads (switch Soft) {
        Interrupted = Interrupted, priority 4, stack 512;
        InterruptedToo = InterruptedToo, priority 4, stack 512;
        Preempted = Preempted, priority 3, stack 512;
        Yields = Yields, priority 3, stack 512;
        Six = Six, priority 2, stack 512;
        SixToo = SixToo, priority 2, stack 512;
        Eight = Eight, priority 1, stack 512;
        EightToo = EightToo, priority 1, stack 512;
    }
}

include!("../../../mainspring/src/equals.rs");

impl Main for Scenario {
    fn init(_: Init<Self>) {
        open_lines();
    }
}
