//! Every cycle tried: a pool with too few blocks for all at once, so that each allocation fails in some of the runs.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::Chip;
use tasks_mainspring::pool::{is_whole, shuffle};
use tasks_mainspring::sweep::verdict;

mainspring::pool! {
    /// Blocks of the larger class serve the smaller one when that is dry.
    struct Heap;
    bytes = 40;
    classes = [8, 16];
    when_dry = TakeLarger;
}

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Low = Low, on GPIOA, priority 1;
        Mid = Mid, on GPIOB, priority 2;
        High = High, on GPIOC, priority 3;
        Top = Top, on GPIOD, priority 4;
    }
}

struct Low;
struct Mid;
struct High;
struct Top;

impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        shuffle::<Heap>(1, false);
        shuffle::<Heap>(2, false);
    }
}

impl Run for Mid {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        shuffle::<Heap>(3, false);
    }
}

impl Run for High {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        shuffle::<Heap>(4, false);
    }
}

impl Run for Top {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        shuffle::<Heap>(5, false);
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {
        // Two blocks of the larger class, which from now on are all that this class has.
        let pair = (
            mainspring::pool::Box::<_, Heap>::new([0_u32; 4]),
            mainspring::pool::Box::<_, Heap>::new([0_u32; 4]),
        );
        drop(pair);
    }

    fn idle(mut cx: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        // One block is left for the smaller class, and it may have both of the larger one's.
        cx.atomic(|_| verdict(is_whole::<Heap>(3)))
    }
}
