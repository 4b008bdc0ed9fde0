//! The idle loop wakes an `async` task, which continues after its `await`.

#![no_std]
#![no_main]

use mainspring::future::{Async, Here};
use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_rv32_mainspring::event::{happen, happened};
use tasks_rv32_mainspring::{Chip, exit, mark, times};

mainspring::pool! {
    /// For the future.
    struct Heap;
    bytes = 64;
    classes = [64];
}

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1(Async::new()), on A, priority 1;
    }
}

struct T1(Async<T1, Heap>);

impl Run for T1 {
    fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
        self.0.poll(cx, shared, t1);
    }
}

async fn t1(_: Here<'_, T1>) {
    loop {
        happened().await;
        mark::<2>();
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.pend::<T1>();
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        for _ in times() {
            mark::<1>();
            happen();
            mark::<3>();
        }
        exit()
    }
}
