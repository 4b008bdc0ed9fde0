//! Every cycle tried: a pool whose key is a resource of three tasks. Half of the boxes are given back under its ceiling,
//! half are dropped outside. `Top`, which no ceiling holds back, drops a box while others have the key.

#![no_std]
#![no_main]

use mainspring::pool::{Box, Key};
use mainspring::{Context, Handles, Idle, Init, Initials, Main, Run, Write};
use tasks_mainspring::Chip;
use tasks_mainspring::fail;
use tasks_mainspring::pool::intact;
use tasks_mainspring::sweep::{Tally, broken, verdict};

mainspring::pool! {
    struct Heap;
    bytes = 56;
    classes = [8];
    sharing = Exclusive;
}

mainspring::app! {
    struct Sweep;
    device = Chip;
    resources {
        Memory: Key<Heap>;
    }
    tasks {
        Low = Low, on GPIOA, priority 1, uses Write<Memory>;
        Mid = Mid, on GPIOB, priority 2, uses Write<Memory>;
        High = High, on GPIOC, priority 3, uses Write<Memory>;
        Top, on GPIOD, priority 4;
    }
    idle uses Write<Memory>;
}

struct Low;
struct Mid;
struct High;
struct Top {
    boxed: Option<Box<[u32; 2], Heap>>,
}

static TOP: Tally = Tally::new();

macro_rules! runs {
    ($($task:ident $tag:literal),*) => {
        $(impl Run for $task {
            fn run(&mut self, mut cx: Context<Self>, mut memory: Handles<Self>) {
                let first = cx.lock(&mut memory, |memory, _| memory.make([$tag, 1]));
                let second = cx.lock(&mut memory, |memory, _| memory.make([$tag, 2]));
                match (first, second) {
                    (Ok(first), Ok(second)) => {
                        intact(&first, [$tag, 1]);
                        drop(first);
                        intact(&second, [$tag, 2]);
                        cx.lock(&mut memory, |memory, _| memory.free(second));
                    }
                    _ => broken(),
                }
            }
        })*
    };
}

runs!(Low 1, Mid 2, High 3);

impl Run for Top {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        if let Some(boxed) = self.boxed.take() {
            TOP.add();
            intact(&boxed, [4, 4]);
        }
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) -> Initials<Self> {
        let mut key = Key::claim().unwrap_or_else(|| fail());
        let boxed = key.make([4, 4]).ok();
        Initials::<Self> {
            Memory: key,
            Top: Top { boxed },
        }
    }

    fn idle(mut cx: Context<Idle<Self>>, mut memory: Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let key = cx.get(&mut memory);
            let mut count = 0;
            while let Ok(boxed) = key.make([0_u32; 2]) {
                let _: &'static mut _ = Box::leak(boxed);
                count += 1;
            }
            verdict(count == 6 + TOP.get())
        })
    }
}
