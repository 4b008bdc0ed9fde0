//! Every cycle tried: allocations and frees of a pool that everybody shares.
//!
//! Each task leaves the list in another order than it found it, which is what a store that only compared values would not
//! notice. At the end every block must be there once. `Top` keeps a box from run to run.

#![no_std]
#![no_main]

use mainspring::pool::Box;
use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_rv32_mainspring::pool::{is_whole, shuffle};
use tasks_rv32_mainspring::sweep::{Tally, broken, verdict};
use tasks_rv32_mainspring::{Chip, Interrupt, acknowledge};

mainspring::pool! {
    /// Three for each task at once.
    struct Heap;
    bytes = 96;
    classes = [8];
}

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Low = Low, on A, priority 1;
        Mid = Mid, on Line, priority 2;
        High = High, on Line2, priority 3;
        Top = Top { kept: None }, on Line3, priority 4;
    }
}

static TOP: Tally = Tally::new();

struct Low;
struct Mid;
struct High;
struct Top {
    kept: Option<Box<[u32; 2], Heap>>,
}

impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        shuffle::<Heap>(1, true);
        shuffle::<Heap>(2, true);
    }
}

impl Run for Mid {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        acknowledge(Interrupt::Line);
        shuffle::<Heap>(3, true);
    }
}

impl Run for High {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        acknowledge(Interrupt::Line2);
        shuffle::<Heap>(4, true);
    }
}

impl Run for Top {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        acknowledge(Interrupt::Line3);
        TOP.add();
        self.kept = Box::new([TOP.get(), 5]).ok();
        if self.kept.as_deref() != Some(&[TOP.get(), 5]) {
            broken();
        }
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    fn idle(mut cx: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|_| {
            let kept = u32::from(TOP.get() > 0);
            verdict(is_whole::<Heap>(12 - kept))
        })
    }
}
