//! A tick that switches among three equals.

#![no_std]
#![no_main]

use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Initials, Main, Run};
use threads_rv32_mainspring::{Chip, exit, open_lines, reached};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Timer, on Timer, priority 1;
    }
    threads (switch Soft, ticked Timer) {
        One = One, priority 1, stack 512;
        Two = Two, priority 1, stack 512;
        Three = Three, priority 1, stack 512;
    }
}

include!("../../../mainspring/src/busy.rs");

struct Timer(threads_rv32_mainspring::Ticks);
impl Run for Timer {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        self.0.again();
        cx.tick();
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) -> Initials<Self> {
        open_lines();
        Initials::<Self> {
            Timer: Timer(threads_rv32_mainspring::Ticks::start(20_000)),
        }
    }
}
