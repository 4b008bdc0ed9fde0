//! Alarms by the cycle counter and SysTick: setting one with none, and with seven that are earlier, taking one back, and the way
//! from its instant to the task.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::time::{self, Clock, Cycles, Timers};
use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::{Chip, exit, mark};

const HZ: u32 = 8_000_000;
type Ticks = Cycles<HZ>;
type Length = <Ticks as Clock>::Duration;

mainspring::app! {
    struct Scenario;
    device = Chip;
    resources {
        // SAFETY: nothing else in this program uses SysTick or the cycle counter.
        Alarms: Timers<Tick, Ticks, 8> = Timers::new(unsafe { Cycles::new() });
    }
    tasks {
        Tick = Tick, on SysTick, priority 2, uses Write<Alarms>;
        Due = Due, on GPIOA, priority 1;
    }
    idle uses Write<Alarms>;
}

struct Tick;
struct Due;

/// When `Due` should run next, and how late it was.
static AT: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into this program.
static LATE: AtomicU32 = AtomicU32::new(0);
static RUNS: AtomicU32 = AtomicU32::new(0);

impl Run for Tick {
    fn run(&mut self, mut cx: Context<Self>, mut alarms: Handles<Self>) {
        time::serve(&mut cx, &mut alarms);
    }
}

impl Run for Due {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        let now = Ticks::count();
        LATE.store(now.wrapping_sub(AT.load(Relaxed)), Relaxed);
        RUNS.store(RUNS.load(Relaxed) + 1, Relaxed);
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.get::<Alarms>().start();
    }

    fn idle(mut cx: Context<Idle<Self>>, mut alarms: Handles<Idle<Self>>) -> ! {
        let after = |counts: u64| Length::from_ticks(counts);
        cx.lock(&mut alarms, |alarms, _| {
            mark();
            let first = alarms.spawn_after::<Due>(after(100_000));
            mark();
            for counts in 1..=6 {
                let _ = alarms.spawn_after::<Due>(after(100_000 - counts));
            }
            mark();
            let last = alarms.spawn_after::<Due>(after(200_000));
            mark();
            if let (Ok(first), Ok(last)) = (first, last) {
                alarms.cancel(last);
                mark();
                let again = alarms.reschedule_after(first, after(1_000));
                mark();
                assert!(again);
            }
            AT.store(Ticks::count() + 500, Relaxed);
            let at = Ticks::count() + 500;
            let _ = alarms.spawn_at::<Due>(<Ticks as Clock>::Instant::from_ticks(at.into()));
            AT.store(at, Relaxed);
        });
        while RUNS.load(Relaxed) == 0 {}
        exit()
    }
}
