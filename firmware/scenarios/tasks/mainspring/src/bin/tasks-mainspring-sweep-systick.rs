//! Every cycle tried: a task of a system exception that shares what others lock. On ARMv6-M it has no enable bit to be held back by.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::sweep::{Guarded, Tally, verdict};
use tasks_mainspring::{Chip, TOP};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Shared: Guarded = Guarded::new();
        Other: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on GPIOA, priority 1, uses (Write<Shared>, Write<Other>);
        Mid = Mid, on GPIOB, priority 2, uses Write<Other>;
        Tick = Tick, on SysTick, priority 3, uses Write<Shared>;
        High = High, on GPIOC, priority TOP;
    }
    idle uses (Write<Shared>, Write<Other>);
}

static MID: Tally = Tally::new();
static TICKS: Tally = Tally::new();

struct Low;
struct Mid;
struct Tick;
struct High;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut shared, mut other): Handles<Self>) {
        cx.lock(&mut other, |other, cx| {
            other.work();
            cx.lock(&mut shared, |shared, _| shared.work());
            // `Mid` is still held back, `Tick` is not any more.
            other.work();
        });
        cx.lock(&mut shared, |shared, _| shared.count());
    }
}

impl Run for Mid {
    fn run(&mut self, cx: Context<Self>, mut other: Handles<Self>) {
        cx.get(&mut other).work();
        MID.add();
        cx.pend::<Tick>();
    }
}

impl Run for Tick {
    fn run(&mut self, cx: Context<Self>, mut shared: Handles<Self>) {
        cx.get(&mut shared).work();
        TICKS.add();
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        cx.pend::<Tick>();
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    fn idle(mut cx: Context<Idle<Self>>, (shared, other): Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let totals = [cx.get(&shared).total(), cx.get(&other).total()];
            verdict(totals == [2 + TICKS.get(), 2 + MID.get()])
        })
    }
}
