//! Inside of a lock nobody waits.

use mainspring::threads::*;
use mainspring::*;

struct Chip;
enum Interrupt {
    TIM2 = 28,
}
// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

app! {
    struct Demo;
    device = Chip;
    resources {
        Speed: u32 = 0;
    }
    tasks {
        High = High, on TIM2, priority 3, uses Write<Speed>;
    }
    threads (waking 3, tick 1_000) {
        Low = Low { kept: None }, priority 1, stack 256, uses Write<Speed>;
    }
}

static EVENT: Semaphore<Demo> = Semaphore::new(0);
static DATA: Mutex<Demo, u32> = Mutex::new(0);

struct High;
struct Low {
    kept: Option<Guard<'static, Low, u32>>,
}
impl Run for High {
    fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {
        let _ = EVENT.give(&mut cx);
    }
}
impl Thread for Low {
    fn run(&mut self, mut cx: Context<Self>, mut speed: Handles<Self>) {
        cx.lock(&mut speed, |_, cx| EVENT.take(cx));
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
