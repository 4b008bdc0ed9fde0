//! Every cycle tried: locks of one resource.
//!
//! `Low` counts in many short sections and a long one. Whenever `Mid`, `High` and `Top` are raised, no count may be
//! lost. `High` can start inside a section of `Low`, and has a section of its own: it must leave the threshold as it was.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::Chip;
use tasks_mainspring::sweep::{Guarded, Tally, verdict};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Below: Guarded = Guarded::new();
        Above: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on GPIOA, priority 1, uses Write<Below>;
        Mid = Mid, on GPIOB, priority 2, uses Write<Below>;
        High = High, on GPIOC, priority 3, uses Write<Above>;
        Top = Top, on GPIOD, priority 4, uses Write<Above>;
    }
    idle uses (Write<Below>, Write<Above>);
}

static MID: Tally = Tally::new();
static HIGH: Tally = Tally::new();
static TOP: Tally = Tally::new();

struct Low;
struct Mid;
struct High;
struct Top;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, mut below: Handles<Self>) {
        cx.lock(&mut below, |below, _| below.count());
        cx.lock(&mut below, |below, _| below.count());
        cx.lock(&mut below, |below, _| below.work());
        cx.lock(&mut below, |below, _| below.count());
    }
}

impl Run for Mid {
    fn run(&mut self, cx: Context<Self>, mut below: Handles<Self>) {
        cx.get(&mut below).work();
        MID.add();
    }
}

impl Run for High {
    fn run(&mut self, mut cx: Context<Self>, mut above: Handles<Self>) {
        cx.lock(&mut above, |above, _| above.work());
        HIGH.add();
    }
}

impl Run for Top {
    fn run(&mut self, cx: Context<Self>, mut above: Handles<Self>) {
        cx.get(&mut above).work();
        TOP.add();
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    fn idle(mut cx: Context<Idle<Self>>, (mut below, mut above): Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let (below, above) = (cx.get(&mut below).total(), cx.get(&mut above).total());
            verdict(below == 4 + MID.get() && above == HIGH.get() + TOP.get())
        })
    }
}
