//! Every cycle tried: two resources in one section, at the higher of their ceilings, and two tasks on one interrupt.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::Chip;
use tasks_mainspring::sweep::{Guarded, Tally, broken, verdict};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        A: Guarded = Guarded::new();
        B: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on GPIOA, priority 1, uses (Write<A>, Write<B>);
        Mid = Mid, on GPIOB, priority 2, uses (Write<A>, Write<B>);
        After = After, behind Mid, uses { a: Write<A>, b: Write<B> };
        High = High, on GPIOC, priority 3, uses Write<B>;
        Top = Top, on GPIOD, priority 4;
    }
    idle uses (Write<A>, Write<B>);
}

static MID: Tally = Tally::new();
static AFTER: Tally = Tally::new();
static HIGH: Tally = Tally::new();

struct Low;
struct Mid;
struct After;
struct High;
struct Top;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut a, mut b): Handles<Self>) {
        for _ in 0..2 {
            cx.lock((&mut a, &mut b), |(a, b), _| {
                a.count();
                b.work();
                a.work();
                b.count();
            });
        }
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, (mut a, mut b): Handles<Self>) {
        cx.lock((&mut a, &mut b), |(a, b), _| {
            // Whoever holds one of the two holds both, so `a` is never ahead while no task is inside.
            if a.total() + HIGH.get() != b.total() {
                broken();
            }
            a.work();
            b.work();
        });
        MID.add();
    }
}

/// On the interrupt of `Mid`, when that one has run.
impl Run for After {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        cx.lock((&mut shared.a, &mut shared.b), |(a, b), _| {
            a.work();
            b.work();
        });
        AFTER.add();
        if AFTER.get() != MID.get() {
            broken();
        }
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut b: Handles<Self>) {
        cx.get(&mut b).work();
        HIGH.add();
    }
}

impl Run for Top {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    fn idle(mut cx: Context<Idle<Self>>, (a, b): Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let totals = [cx.get(&a).total(), cx.get(&b).total()];
            let pairs = MID.get() + AFTER.get();
            verdict(totals == [4 + pairs, 4 + pairs + HIGH.get()] && AFTER.get() == MID.get())
        })
    }
}
