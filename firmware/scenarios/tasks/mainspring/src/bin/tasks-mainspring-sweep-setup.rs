//! Every cycle tried: interrupts that come while the program still starts.
//!
//! No task may run before `init` is done and its own state is there, and none that was asked for may be forgotten.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mainspring::{Context, Handles, Idle, Init, Initials, Main, Run, Write};
use tasks_mainspring::sweep::{Guarded, Tally, broken, verdict};
use tasks_mainspring::{Chip, TOP};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Shared: Guarded;
    }
    tasks {
        Low, on GPIOA, priority 1, uses Write<Shared>;
        Mid, on GPIOB, priority 2, uses Write<Shared>;
        High, on GPIOC, priority TOP, uses Write<Shared>;
    }
    idle uses Write<Shared>;
}

static READY: AtomicBool = AtomicBool::new(false);
static RUNS: Tally = Tally::new();

const MAGIC: u32 = 0x600d_cafe;

struct Low(u32);
struct Mid(u32);
struct High(u32);

fn check(state: u32) {
    if state != MAGIC || !READY.load(Relaxed) {
        broken();
    }
}

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        check(self.0);
        cx.lock(&mut shared, |shared, _| {
            shared.work();
            RUNS.add();
        });
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        check(self.0);
        cx.lock(&mut shared, |shared, _| {
            shared.work();
            RUNS.add();
        });
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut shared: Handles<Self>) {
        check(self.0);
        cx.get(&mut shared).work();
        RUNS.add();
    }
}

impl Main for Sweep {
    fn init(mut cx: Init<Self>) -> Initials<Self> {
        cx.pend::<Low>();
        let initials = Initials::<Self> {
            Shared: Guarded::new(),
            Low: Low(MAGIC),
            Mid: Mid(MAGIC),
            High: High(MAGIC),
        };
        READY.store(true, Relaxed);
        initials
    }

    fn idle(mut cx: Context<Idle<Self>>, shared: Handles<Idle<Self>>) -> ! {
        cx.atomic(|cx| verdict(cx.get(&shared).total() == RUNS.get() && RUNS.get() >= 1))
    }
}
