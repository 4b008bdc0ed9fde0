//! An `async` task waits by `embassy-time`, whose driver is the kernel's, and says how late it is.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use embassy_time::{Instant, Timer};
use mainspring::future::{Async, Here};
use mainspring::time::{Clock, Cycles, Embassy};
use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_mainspring::{Chip, exit, fail, mark};

const HZ: u32 = 8_000_000;

embassy_time_driver::time_driver_impl!(
    // SAFETY: nothing else in this program uses SysTick or the cycle counter.
    static TIME: Embassy<Cycles<HZ>, HZ, 4> = Embassy::new(unsafe { Cycles::new() })
);

mainspring::pool! {
    /// For the futures.
    struct Heap;
    bytes = 256;
    classes = [128];
}

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Tick = Tick, on SysTick, priority 2;
        T1 = T1(Async::new()), on GPIOA, priority 1;
    }
}

struct Tick;
struct T1(Async<T1, Heap>);

#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into this program.
static LATE: AtomicU32 = AtomicU32::new(0);
static RUNS: AtomicU32 = AtomicU32::new(0);

impl Run for Tick {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        TIME.serve();
    }
}

impl Run for T1 {
    fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
        self.0.poll(cx, shared, t1);
    }
}

async fn t1(_: Here<'_, T1>) {
    for _ in 0..3 {
        let at = Instant::now() + embassy_time::Duration::from_micros(500);
        mark();
        Timer::at(at).await;
        LATE.store(Cycles::<HZ>::count().wrapping_sub(at.as_ticks() as u32), Relaxed);
        RUNS.store(RUNS.load(Relaxed) + 1, Relaxed);
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        TIME.start();
        cx.pend::<T1>();
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        while RUNS.load(Relaxed) < 3 {
            mainspring::wait();
        }
        if LATE.load(Relaxed) > 1000 {
            fail()
        }
        exit()
    }
}
