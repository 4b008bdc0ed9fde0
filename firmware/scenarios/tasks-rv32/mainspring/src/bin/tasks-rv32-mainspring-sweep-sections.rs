//! Every cycle tried: locks in locks, of two resources at once, at a level that is enough already, what is asked for inside, and two
//! tasks on one interrupt.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_rv32_mainspring::sweep::{Guarded, Tally, broken, verdict};
use tasks_rv32_mainspring::{Chip, Interrupt, acknowledge};

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Outer: Guarded = Guarded::new();
        Inner: Guarded = Guarded::new();
        Lowest: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on A, priority 1, uses (Write<Outer>, Write<Inner>, Write<Lowest>);
        Mid = Mid, on Line, priority 2, uses (Write<Outer>, Write<Lowest>);
        After = After, behind Mid, uses { outer: Write<Outer> };
        Asked = Asked, on B, priority 2, uses Write<Outer>;
        High = High, on Line2, priority 3, uses Write<Inner>;
        Top = Top, on Line3, priority 8;
    }
    idle uses (Write<Outer>, Write<Inner>, Write<Lowest>);
}

static MID: Tally = Tally::new();
static AFTER: Tally = Tally::new();
static ASKED: Tally = Tally::new();
static TOP: Tally = Tally::new();
static HIGH: Tally = Tally::new();

struct Low;
struct Mid;
struct After;
struct Asked;
struct High;
struct Top;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut inner, mut lowest): Handles<Self>) {
        cx.lock(&mut outer, |outer, cx| {
            outer.count();
            cx.lock(&mut inner, |inner, cx| {
                inner.work();
                // Held back until the outer section ends.
                cx.pend::<Asked>();
                cx.lock(&mut lowest, |lowest, _| lowest.count());
                inner.count();
            });
            // Back in the outer section: `Mid` is still held back.
            outer.work();
            cx.lock(&mut lowest, |lowest, _| lowest.count());
        });
        cx.lock(&mut outer, |outer, _| outer.count());
        cx.disable::<Mid>();
        cx.pend::<Asked>();
        cx.enable::<Mid>();
        // Where everything is held back, it starts when that ends.
        let before = ASKED.get();
        cx.atomic(|cx| cx.pend::<Asked>());
        if ASKED.get() == before {
            broken();
        }
        // Held back by whom the kernel does not know; starts when that section ends.
        critical_section::with(|_| {
            let before = ASKED.get();
            cx.pend::<Asked>();
            if ASKED.get() != before {
                broken();
            }
        });
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut lowest): Handles<Self>) {
        acknowledge(Interrupt::Line);
        cx.lock((&mut outer, &mut lowest), |(outer, lowest), _| {
            outer.work();
            lowest.work();
        });
        MID.add();
    }
}

/// On the interrupt of `Mid`, when that one has run.
impl Run for After {
    fn run(&mut self, cx: Context<Self>, mut shared: Handles<Self>) {
        cx.get(&mut shared.outer).work();
        AFTER.add();
        if AFTER.get() != MID.get() {
            broken();
        }
    }
}

impl Run for Asked {
    fn run(&mut self, cx: Context<Self>, mut outer: Handles<Self>) {
        cx.get(&mut outer).work();
        ASKED.add();
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut inner: Handles<Self>) {
        acknowledge(Interrupt::Line2);
        cx.get(&mut inner).work();
        HIGH.add();
    }
}

impl Run for Top {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        acknowledge(Interrupt::Line3);
        // As if its line had come too; what `Low` just asks for must not be lost by it, nor this.
        cx.pend::<Mid>();
        TOP.add();
    }
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
            let sums = totals == [7 + MID.get() + AFTER.get(), 2 + HIGH.get(), 2 + MID.get()];
            verdict(sums && AFTER.get() == MID.get() && ASKED.get() == 4 && (TOP.get() == 0 || MID.get() > 0))
        })
    }
}
