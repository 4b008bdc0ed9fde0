//! A thread that sleeps for a tick, by itself: all of it fits into the cache of a VexRiscv, so that the last of six times is warm.

#![no_std]
#![no_main]

use mainspring::threads::{Semaphore, Thread, Ticks};
use mainspring::{Context, Handles, Init, Initials, Main, Run};
use threads_rv32_mainspring::{Chip, exit, open_lines, reached, rounds};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Timer, on Timer, priority 1;
    }
    threads (switch Soft, ticked Timer) {
        Works = Works, priority 1, stack 512;
        Sleeps = Sleeps, priority 2, stack 512;
    }
}

static SLEEP: Semaphore<Scenario> = Semaphore::new(0);

struct Works;
impl Thread for Works {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in rounds(6) {
            let _ = SLEEP.give(&mut cx);
            let before = cx.now();
            while cx.now() == before {}
        }
        exit()
    }
}

struct Sleeps;
impl Thread for Sleeps {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            SLEEP.take(&mut cx);
            cx.sleep(Ticks(1));
            reached::<61>();
        }
    }
}

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
