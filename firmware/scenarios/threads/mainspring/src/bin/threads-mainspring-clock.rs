//! Time by SysTick alone: a periodic alarm between two points, with others set and taken back all the while, and a look at the clock.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use common::{exit, fail, mark};
use mainspring::time::{self, Clock, SysTick, Timers};
use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use threads_mainspring::Chip;

type Clocked = SysTick<8_000_000>;
type Length = <Clocked as Clock>::Duration;

/// Cycles from one to the next, and how many.
const PERIOD: u32 = 2_000;
const TIMES: u32 = 50;

mainspring::app! {
    struct Scenario;
    device = Chip;
    resources {
        // SAFETY: nothing else in this program uses SysTick.
        Alarms: Timers<Tick, Clocked, 4> = Timers::new(unsafe { SysTick::new() });
    }
    tasks {
        Tick = Tick, on SysTick, priority 2, uses Write<Alarms>;
        Due = Due { last: 0 }, on IRQ1, priority 1;
    }
    idle uses Write<Alarms>;
}

/// Serves the clock.
struct Tick;
impl Run for Tick {
    fn run(&mut self, mut cx: Context<Self>, mut alarms: Handles<Self>) {
        time::serve(&mut cx, &mut alarms);
    }
}

static RUNS: AtomicU32 = AtomicU32::new(0);
static FROM: AtomicU32 = AtomicU32::new(0);
/// The time from the first point to the second, by the clock.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into this program.
static TOLD: AtomicU32 = AtomicU32::new(0);

/// Comes every [`PERIOD`], give or take what holds it back.
struct Due {
    last: u32,
}
impl Run for Due {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        let now = Clocked::count();
        let runs = RUNS.load(Relaxed);
        if runs > 0 && now.wrapping_sub(self.last).abs_diff(PERIOD) > 1_500 {
            fail()
        }
        self.last = now;
        match runs {
            0 => {
                mark::<1>();
                FROM.store(now, Relaxed);
            }
            TIMES => {
                mark::<2>();
                TOLD.store(now.wrapping_sub(FROM.load(Relaxed)), Relaxed);
                exit()
            }
            _ => {}
        }
        RUNS.store(runs + 1, Relaxed);
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.get::<Alarms>().start();
    }

    fn idle(mut cx: Context<Idle<Self>>, mut alarms: Handles<Idle<Self>>) -> ! {
        let every = Length::from_ticks(PERIOD.into());
        if cx
            .lock(&mut alarms, |alarms, _| alarms.spawn_every::<Due>(every))
            .is_err()
        {
            fail()
        }
        let mut last = Clocked::count();
        let mut other = 0_u32;
        loop {
            // Another alarm, which sets the counter anew whenever it is the first, and never goes off.
            other = other.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let after = Length::from_ticks(u64::from(1_000 + (other >> 22)));
            let set = cx.lock(&mut alarms, |alarms, _| alarms.spawn_after::<Due>(after));
            let now = Clocked::count();
            // Nothing takes so long, and it never goes back.
            if now.wrapping_sub(last) > 5_000 {
                fail()
            }
            last = now;
            if let Ok(alarm) = set {
                cx.lock(&mut alarms, |alarms, _| alarms.cancel(alarm));
            }
        }
    }
}
