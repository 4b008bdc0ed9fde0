//! Every cycle tried: a lock inside a lock, and one more at a level that is enough already.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::sweep::{Guarded, Tally, verdict};
use tasks_mainspring::{Chip, TOP};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Outer: Guarded = Guarded::new();
        Inner: Guarded = Guarded::new();
        Lowest: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on GPIOA, priority 1, uses (Write<Outer>, Write<Inner>, Write<Lowest>);
        Mid = Mid, on GPIOB, priority 2, uses (Write<Outer>, Write<Lowest>);
        High = High, on GPIOC, priority 3, uses Write<Inner>;
        Top = Top, on GPIOD, priority TOP;
    }
    idle uses (Write<Outer>, Write<Inner>, Write<Lowest>);
}

static MID: Tally = Tally::new();
static HIGH: Tally = Tally::new();

struct Low;
struct Mid;
struct High;
struct Top;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut inner, mut lowest): Handles<Self>) {
        cx.lock(&mut outer, |outer, cx| {
            outer.count();
            cx.lock(&mut inner, |inner, cx| {
                inner.work();
                cx.lock(&mut lowest, |lowest, _| lowest.count());
                inner.count();
            });
            // Back in the outer section: `Mid` is still held back.
            outer.work();
            cx.lock(&mut lowest, |lowest, _| lowest.count());
        });
        cx.lock(&mut outer, |outer, _| outer.count());
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut lowest): Handles<Self>) {
        cx.lock((&mut outer, &mut lowest), |(outer, lowest), _| {
            outer.work();
            lowest.work();
        });
        MID.add();
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut inner: Handles<Self>) {
        cx.get(&mut inner).work();
        HIGH.add();
    }
}

impl Run for Top {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    fn idle(mut cx: Context<Idle<Self>>, (outer, inner, lowest): Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let totals = [
                cx.get(&outer).total(),
                cx.get(&inner).total(),
                cx.get(&lowest).total(),
            ];
            verdict(totals == [3 + MID.get(), 2 + HIGH.get(), 2 + MID.get()])
        })
    }
}
