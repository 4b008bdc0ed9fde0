//! Alarms on the host, by a clock that the test turns.

#![allow(unsafe_code)] // What is said of the chip.

use std::cell::Cell;

use fugit::ExtU64;
use mainspring::time::{self, Alarm, Clock, Delay, Timers, TooMany};
use mainspring::{Context, Device, Handles, Idle, Init, Main, Run, Write};

struct Chip;

#[repr(u16)]
enum Interrupt {
    Timer = 0,
    A = 1,
    B = 2,
}

// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
    static WAKE: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// A counter of 32 bits, and an alarm, in this thread.
struct Counter;

impl Clock for Counter {
    type Instant = fugit::Instant<u64, 1, 1_000_000>;
    type Duration = fugit::Duration<u64, 1, 1_000_000>;
    /// Miri takes long for each time that the clock comes: it sees as many turns of the counter in fewer of them.
    const LONGEST: u32 = if cfg!(miri) { 1 << 29 } else { 1 << 24 };

    fn count() -> u32 {
        NOW.get() as u32
    }

    fn wake_after(&mut self, counts: u32) {
        assert!(counts <= Self::LONGEST);
        WAKE.set(NOW.get() + u64::from(counts));
    }
}

mainspring::app! {
    struct Alarms;
    device = Chip;
    resources {
        Times: Timers<Tick, Counter, 3> = Timers::new(Counter);
        Log: Vec<(char, u64)> = Vec::new();
    }
    tasks {
        Tick = Tick, on Timer, priority 3, uses Write<Times>;
        A = A, on A, priority 1, uses Write<Log>;
        B = B, on B, priority 2, uses Write<Log>;
    }
    idle uses (Write<Times>, Write<Log>);
}

struct Tick;
struct A;
struct B;

impl Run for Tick {
    fn run(&mut self, mut cx: Context<Self>, mut times: Handles<Self>) {
        time::serve(&mut cx, &mut times);
    }
}

impl Run for A {
    fn run(&mut self, mut cx: Context<Self>, mut log: Handles<Self>) {
        cx.lock(&mut log, |log, _| log.push(('a', NOW.get())));
    }
}

impl Run for B {
    fn run(&mut self, mut cx: Context<Self>, mut log: Handles<Self>) {
        cx.lock(&mut log, |log, _| log.push(('b', NOW.get())));
    }
}

impl Main for Alarms {
    fn init(mut cx: Init<Self>) {
        NOW.set(0xffff_fff0); // The counter turns over soon.
        *cx.get::<Log>() = Vec::new();
        let times = cx.get::<Times>();
        *times = Timers::new(Counter);
        times.start();
    }
}

/// Lets time go on: as often as the clock's interrupt comes, `late` counts after it was asked for.
fn pass(cx: &Context<Idle<Alarms>>, counts: u64, late: u64) -> u32 {
    let (end, mut woken) = (NOW.get() + counts, 0);
    while WAKE.get() + late <= end {
        NOW.set(NOW.get().max(WAKE.get() + late));
        WAKE.set(u64::MAX);
        cx.pend::<Tick>();
        woken += 1;
    }
    NOW.set(end);
    woken
}

/// What the log has, in counts since the start.
fn run(f: impl FnOnce(&mut Context<Idle<Alarms>>, &mut Handles<Idle<Alarms>>)) -> Vec<(char, u64)> {
    mainspring::host::run::<Alarms, _>(|mut cx, mut handles| {
        f(&mut cx, &mut handles);
        let log = cx.lock(&mut handles.1, |log, _| log.clone());
        log.into_iter().map(|(who, at)| (who, at - 0xffff_fff0)).collect()
    })
}

#[test]
fn each_alarm_goes_off_at_its_time_and_nothing_wakes_in_between() {
    let log = run(|cx, (times, _)| {
        cx.lock(times, |times, _| {
            times.spawn_after::<A>(100.micros()).expect("room");
            let at = times.now() + fugit::Duration::<u64, 1, 1_000_000>::from_ticks(30);
            times.spawn_at::<B>(at).expect("room");
        });
        assert_eq!(pass(cx, 1000, 0), 2);
    });
    assert_eq!(log, [('b', 30), ('a', 100)]);
}

#[test]
fn what_is_past_is_asked_for_at_once() {
    let log = run(|cx, (times, _)| {
        cx.lock(times, |times, _| {
            times.spawn_at::<A>(fugit::Instant::<u64, 1, 1_000_000>::from_ticks(5))
        })
        .expect("room");
        pass(cx, 0, 0);
    });
    assert_eq!(log, [('a', 0)]);
}

#[test]
fn a_cancelled_alarm_does_not_go_off_and_an_old_one_cancels_nothing() {
    let log = run(|cx, (times, _)| {
        let [first, second] = cx.lock(&mut *times, |times, _| {
            [10, 20].map(|after| times.spawn_after::<A>(after.micros()).expect("room"))
        });
        assert!(cx.lock(&mut *times, |times, _| times.cancel(first)));
        pass(cx, 30, 0);
        let late: [bool; 2] = cx.lock(&mut *times, |times, _| {
            [first, second].map(|alarm| times.cancel(alarm))
        });
        assert_eq!(late, [false, false]);
        cx.lock(times, |times, _| times.spawn_after::<B>(5.micros()))
            .expect("room again");
        pass(cx, 30, 0);
    });
    assert_eq!(log, [('a', 20), ('b', 35)]);
}

#[test]
fn a_watched_deadline_that_is_put_off() {
    let log = run(|cx, (times, _)| {
        let alarm = cx
            .lock(&mut *times, |times, _| times.spawn_after::<A>(50.micros()))
            .expect("room");
        for _ in 0..5 {
            pass(cx, 40, 0);
            assert!(cx.lock(&mut *times, |times, _| times.reschedule_after(alarm, 50.micros())));
        }
        pass(cx, 100, 0);
    });
    assert_eq!(log, [('a', 250)]);
}

#[test]
fn a_period_does_not_drift_and_tells_what_it_missed() {
    let log = run(|cx, (times, _)| {
        let every: Alarm = cx
            .lock(&mut *times, |times, _| times.spawn_every::<A>(100.micros()))
            .expect("room");
        pass(cx, 500, 7);
        assert_eq!(cx.lock(&mut *times, |times, _| times.missed(every)), Some(0));
        NOW.set(NOW.get() + 250);
        pass(cx, 100, 0);
        assert_eq!(cx.lock(&mut *times, |times, _| times.missed(every)), Some(2));
        assert!(cx.lock(times, |times, _| times.cancel(every)));
        pass(cx, 1000, 0);
    });
    assert_eq!(
        log,
        [
            ('a', 107),
            ('a', 207),
            ('a', 307),
            ('a', 407),
            ('a', 750),
            ('a', 800)
        ]
    );
}

#[test]
fn there_is_room_for_so_many() {
    run(|cx, (times, _)| {
        cx.lock(times, |times, _| {
            for _ in 0..3 {
                times.spawn_after::<A>(10.micros()).expect("room");
            }
            assert_eq!(times.spawn_after::<B>(1.micros()), Err(TooMany));
        });
    });
}

#[test]
fn the_counter_may_turn_over_as_often_as_it_likes() {
    const AFTER: u64 = 20_000_000_000;
    const PASSES: u64 = AFTER + AFTER / 2;
    let log = run(|cx, (times, _)| {
        cx.lock(times, |times, _| times.spawn_after::<A>(AFTER.micros()))
            .expect("room");
        let woken = pass(cx, PASSES, 3);
        let least = PASSES / u64::from(Counter::LONGEST);
        assert!(
            (least..least + least / 8).contains(&u64::from(woken)),
            "{woken}: each time that it cannot be asked to come later, and no more often"
        );
    });
    assert_eq!(log, [('a', AFTER + 3)]);
}

#[test]
fn a_wait_is_not_shorter_than_it_says() {
    use embedded_hal::delay::DelayNs;
    struct Running;
    impl Clock for Running {
        type Instant = u64;
        type Duration = fugit::Duration<u64, 1, 1_000_000>;
        const LONGEST: u32 = 1;
        fn count() -> u32 {
            NOW.set(NOW.get() + 1);
            NOW.get() as u32
        }
        fn wake_after(&mut self, _: u32) {}
    }
    for (wait, least) in [(1, 1), (999, 1), (1_000, 1), (1_001, 2), (70_000, 70)] {
        NOW.set(u64::from(u32::MAX) - 3);
        Delay::<Running>::new().delay_ns(wait);
        let took = NOW.get() - (u64::from(u32::MAX) - 3);
        assert!((least + 1..=least + 3).contains(&took), "{took} for {wait} ns");
    }
}

/// Periods that are shorter than it takes to look at them.
mod hurried {
    use super::*;

    /// A clock that goes on whenever somebody looks.
    struct Hurried;

    impl Clock for Hurried {
        type Instant = u64;
        type Duration = u64;
        const LONGEST: u32 = 1 << 24;

        fn count() -> u32 {
            NOW.set(NOW.get() + 10);
            assert!(NOW.get() < 100_000, "nobody comes to an end");
            NOW.get() as u32
        }

        fn wake_after(&mut self, counts: u32) {
            WAKE.set(u64::from(counts));
        }
    }

    mainspring::app! {
        struct Short;
        device = Chip;
        resources { Times: Timers<Tick, Hurried, 2> = Timers::new(Hurried); }
        tasks {
            Tick = Tick, on Timer, priority 3, uses Write<Times>;
            Often = Often(0), on A, priority 1;
        }
        idle uses Write<Times>;
    }

    struct Tick;
    struct Often(u32);

    impl Run for Tick {
        fn run(&mut self, mut cx: Context<Self>, mut times: Handles<Self>) {
            time::serve(&mut cx, &mut times);
        }
    }

    impl Run for Often {
        fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
            self.0 += 1;
            RUNS.set(self.0);
        }
    }

    thread_local! {
        static RUNS: Cell<u32> = const { Cell::new(0) };
    }

    impl Main for Short {
        fn init(_: Init<Self>) {}
    }

    #[test]
    fn the_clocks_task_ends() {
        mainspring::host::run::<Short, _>(|mut cx, mut times| {
            cx.lock(&mut times, |times, _| {
                times.start();
                for period in [0, 1] {
                    times.spawn_every::<Often>(period).expect("room");
                }
            });
            for runs in 1..4 {
                cx.pend::<Tick>();
                assert_eq!(
                    (RUNS.get(), WAKE.get()),
                    (runs, 0),
                    "and its interrupt comes again at once"
                );
            }
        });
    }
}
