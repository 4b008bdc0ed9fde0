//! How many counts are a tick has to be said.

use mainspring::threads::*;
use mainspring::*;

struct Chip;
// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = ();
}

struct Counter;
impl mainspring::time::Clock for Counter {
    type Instant = u64;
    type Duration = u64;
    const LONGEST: u32 = 1 << 24;
    fn count() -> u32 {
        0
    }
    fn wake_after(&mut self, _: u32) {}
}

app! {
    struct Demo;
    device = Chip;
    tasks {
        Alarm = Alarm, on SysTick, priority 1;
    }
    threads (ticked Alarm, clock (Counter = Counter)) {
        Sleeps = Sleeps, priority 1, stack 256;
    }
}

struct Alarm;
impl Run for Alarm {
    fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {
        cx.tick();
    }
}

struct Sleeps;
impl Thread for Sleeps {
    fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {
        cx.sleep(Ticks(3));
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
