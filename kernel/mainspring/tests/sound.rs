//! What safe code could once break, and what it finds instead. The cases that must not compile are in
//! `must-not-compile`; each has its place in `docs/guide/sound.md`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use mainspring::{Context, Device, Handles, Idle, Init, Main, Run, Write, host};

struct Chip;

enum Interrupt {
    Low = 0,
    High = 1,
    Top = 2,
}

// SAFETY: the host has no vectors. Others write BASEPRI here, and it does not say that they do not.
#[allow(unsafe_code)] // What is said of the chip, nothing can check.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

/// A table with three tasks, and what `Low` does; the others count their runs. `Top` is above all ceilings.
macro_rules! application {
    ($name:ident, |$cx:ident, $handles:ident| $low:block) => {
        mainspring::app! {
            struct $name;
            device = Chip;
            resources {
                Shared: u32 = 0;
                Inner: u32 = 0;
            }
            tasks {
                Low = Low, on Low, priority 1, uses (Write<Shared>, Write<Inner>);
                High = High, on High, priority 3, uses (Write<Shared>, Write<Inner>);
                Top = Top, on Top, priority 5;
            }
            idle uses (Write<Shared>, Write<Inner>);
        }

        struct Low;
        struct High;
        struct Top;

        static RUNS: AtomicU32 = AtomicU32::new(0);

        impl Run for Low {
            fn run(&mut self, $cx: Context<Self>, $handles: Handles<Self>) $low
        }

        impl Run for High {
            fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
                RUNS.fetch_add(1, SeqCst);
            }
        }

        impl Run for Top {
            fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
                RUNS.fetch_add(1, SeqCst);
            }
        }

        impl Main for $name {
            fn init(_: Init<Self>) {}
        }
    };
}

/// How often `High` and `Top` ran since this was asked.
fn runs(count: &AtomicU32) -> u32 {
    count.swap(0, SeqCst)
}

fn panics(f: impl FnOnce()) {
    let caught = catch_unwind(AssertUnwindSafe(f));
    assert!(caught.is_err(), "it should have panicked");
}

mod within_somebody_elses_section {
    use super::*;

    application!(Demo, |cx, handles| {
        let _ = (cx, handles);
    });

    /// The threshold that holds all tasks back.
    const ALL: u8 = 0x10;

    #[test]
    fn a_section_ends_with_the_threshold_that_it_found() {
        host::run::<Demo, _>(|mut cx, (mut shared, mut inner)| {
            host::masked(ALL, || {
                cx.pend::<Top>();
                assert_eq!(runs(&RUNS), 0, "held back by somebody else");
                cx.lock(&mut shared, |_, cx| {
                    cx.pend::<Top>();
                    assert_eq!(runs(&RUNS), 0, "a section never lowers what it finds");
                    cx.lock(&mut inner, |_, _| ());
                });
                assert_eq!(runs(&RUNS), 0, "nor does its end");
            });
            assert_eq!(runs(&RUNS), 1);
        });
    }

    #[test]
    fn nor_does_an_inner_one_lower_what_came_between() {
        host::run::<Demo, _>(|mut cx, (mut shared, mut inner)| {
            cx.lock(&mut shared, |_, cx| {
                host::masked(ALL, || {
                    cx.pend::<Top>();
                    cx.lock(&mut inner, |_, _| ());
                    assert_eq!(runs(&RUNS), 0);
                });
            });
            assert_eq!(runs(&RUNS), 1);
        });
    }
}

mod a_panic {
    use super::*;

    application!(Demo, |cx, handles| {
        let _ = (cx, handles);
        std::panic::resume_unwind(Box::new("of a task"));
    });

    fn nothing_is_held_back(cx: &mut Context<Idle<Demo>>) {
        cx.pend::<High>();
        assert_eq!(runs(&RUNS), 1, "it starts at once");
    }

    #[test]
    fn in_a_section_or_a_task_leaves_the_level_as_it_was() {
        host::run::<Demo, _>(|mut cx, (mut shared, _)| {
            panics(|| {
                cx.lock(&mut shared, |_, _| {
                    std::panic::resume_unwind(Box::new("in a lock"))
                });
            });
            nothing_is_held_back(&mut cx);
            panics(|| cx.atomic(|_| std::panic::resume_unwind(Box::new("with all held back"))));
            nothing_is_held_back(&mut cx);
            for _ in 0..2 {
                panics(|| cx.pend::<Low>());
            }
            nothing_is_held_back(&mut cx);
        });
    }

    #[test]
    fn leaves_what_was_asked_for_for_the_next_chance() {
        host::run::<Demo, _>(|mut cx, (mut shared, _)| {
            panics(|| {
                cx.lock(&mut shared, |_, cx| {
                    cx.pend::<High>();
                    std::panic::resume_unwind(Box::new("in a lock"))
                });
            });
            cx.atomic(|_| ());
            assert_eq!(runs(&RUNS), 1);
        });
    }
}

mod one_at_a_time {
    use super::*;

    application!(Demo, |cx, handles| {
        let _ = (cx, handles);
        host::run::<Demo, _>(|_, _| ());
    });

    #[test]
    fn an_application_does_not_run_inside_of_itself() {
        panics(|| host::run::<Demo, _>(|_, _| host::run::<Demo, _>(|_, _| ())));
        panics(|| host::run::<Demo, _>(|cx, _| cx.pend::<Low>()));
        assert_eq!(host::run::<Demo, _>(|_, _| 1), 1, "but again, when it has ended");
    }

    #[test]
    fn threads_take_turns() {
        static INSIDE: AtomicU32 = AtomicU32::new(0);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for _ in 0..10 {
                        host::run::<Demo, _>(|mut cx, (mut shared, _)| {
                            assert_eq!(INSIDE.fetch_add(1, SeqCst), 0, "another thread is inside");
                            cx.lock(&mut shared, |shared, _| *shared += 1);
                            INSIDE.fetch_sub(1, SeqCst);
                        });
                    }
                });
            }
        });
        let total = host::run::<Demo, _>(|mut cx, (mut shared, _)| cx.lock(&mut shared, |shared, _| *shared));
        assert_eq!(total, 40);
    }
}

/// Whoever has a waker may use it at any time, on any thread; another thread may be running the application by then.
mod after_its_end {
    use super::*;
    use mainspring::future::waker;

    application!(Demo, |cx, handles| {
        let _ = (cx, handles);
    });

    #[test]
    fn nobody_starts_a_task() {
        host::run::<Demo, _>(|_, _| waker::<High>().wake());
        assert_eq!(runs(&RUNS), 1, "as long as the application runs");
        waker::<High>().wake();
        assert_eq!(runs(&RUNS), 0, "the run has ended");
        panics(|| {
            host::run::<Demo, _>(|mut cx, (mut shared, _)| {
                cx.lock(&mut shared, |_, cx| {
                    cx.pend::<High>();
                    std::panic::resume_unwind(Box::new("in a lock"))
                });
            });
        });
        host::masked(0x10, || ());
        assert_eq!(runs(&RUNS), 0, "what was held back when the run ended");
        host::run::<Demo, _>(|_, _| ());
        assert_eq!(runs(&RUNS), 0, "nor does the next run start it");
    }
}

mod on_another_thread {
    use super::*;
    use mainspring::future::waker;
    use std::sync::Barrier;

    application!(Demo, |cx, handles| {
        let _ = (cx, handles);
    });

    /// One thread has run the application, another one does.
    #[test]
    fn no_task_runs_beside_a_section() {
        let (before, inside, woken) = (Barrier::new(2), Barrier::new(2), Barrier::new(2));
        std::thread::scope(|threads| {
            threads.spawn(|| {
                host::run::<Demo, _>(|_, _| ());
                before.wait();
                inside.wait();
                waker::<Top>().wake();
                woken.wait();
            });
            before.wait();
            host::run::<Demo, _>(|mut cx, _| {
                cx.atomic(|_| {
                    inside.wait();
                    woken.wait();
                    assert_eq!(runs(&RUNS), 0, "everything is held back");
                });
            });
        });
    }
}

/// What safe code may do in any thread of the host is ordered: Miri sees that.
mod from_anywhere {
    use mainspring::queue::Queue;

    #[test]
    fn the_ends_of_a_queue_are_in_two_threads() {
        static QUEUE: Queue<std::boxed::Box<u32>, 2> = Queue::new();
        let (mut producer, mut consumer) = QUEUE.split().expect("the first who asks");
        std::thread::scope(|threads| {
            threads.spawn(move || {
                for number in 0..20 {
                    let mut boxed = std::boxed::Box::new(number);
                    while let Err(again) = producer.enqueue(boxed) {
                        boxed = again;
                        std::thread::yield_now();
                    }
                }
            });
            for number in 0..20 {
                let boxed = loop {
                    match consumer.dequeue() {
                        Some(boxed) => break boxed,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(*boxed, number);
            }
        });
    }
}
