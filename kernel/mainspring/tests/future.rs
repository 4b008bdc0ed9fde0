//! `async` tasks on the host. Their state is not `Send`, so each application has one test.

#![allow(unsafe_code)] // What is said of the chip, and that each application runs in one thread.

use mainspring::future::{Async, Channel, Here};
use mainspring::{Context, Device, Full, Handles, Init, Main, Run, Write, host};

struct Chip;

#[repr(u16)]
enum Interrupt {
    A = 1,
    B = 2,
    C = 3,
}

// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}

mainspring::pool! {
    struct Heap;
    bytes = 2048;
    classes = [256, 512];
}

mod channels {
    use super::*;

    mainspring::app! {
        struct Pipe;
        device = Chip;
        resources {
            Numbers: Channel<u32, 2> = Channel::new();
            Log: Vec<u32> = Vec::new();
        }
        tasks {
            Make = Make(Async::new()), on A, priority 1, uses (Write<Numbers>, Write<Log>);
            Take = Take(Async::new()), on B, priority 2, uses (Write<Numbers>, Write<Log>);
        }
        idle uses (Write<Numbers>, Write<Log>);
    }

    struct Make(Async<Make, Heap>);
    struct Take(Async<Take, Heap>);

    impl Run for Make {
        fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
            self.0.poll(cx, shared, make);
        }
    }

    /// Sends ten numbers, more than there is room for.
    async fn make(mut here: Here<'_, Make>) {
        for number in 0..10 {
            let mut message = Some(number);
            here.until(|cx, (numbers, _), waker| {
                cx.lock(numbers, |numbers, _| numbers.poll_send(&mut message, waker))
            })
            .await;
        }
    }

    impl Run for Take {
        fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
            self.0.poll(cx, shared, take);
        }
    }

    async fn take(mut here: Here<'_, Take>) {
        loop {
            let number = here
                .until(|cx, (numbers, _), waker| cx.lock(numbers, |numbers, _| numbers.poll_receive(waker)))
                .await;
            here.with(|cx, (_, log)| cx.lock(log, |log, _| log.push(number)));
            if number % 4 == 3 {
                // Until somebody asks for the task.
                here.next().await;
            }
        }
    }

    impl Main for Pipe {
        fn init(mut cx: Init<Self>) {
            cx.pend::<Take>();
            cx.pend::<Make>();
        }
    }

    #[test]
    fn messages_go_through_in_order_and_both_sides_wait() {
        // SAFETY: this is the only run.
        unsafe {
            host::run_in_one_thread::<Pipe, _>(|mut cx, (mut numbers, mut log)| {
                let mut so_far = |cx: &mut Context<_>| cx.lock(&mut log, |log, _| log.clone());
                assert_eq!(
                    so_far(&mut cx),
                    [0, 1, 2, 3],
                    "the receiver waits, so the sender does"
                );
                cx.pend::<Take>();
                assert_eq!(so_far(&mut cx), [0, 1, 2, 3, 4, 5, 6, 7]);
                cx.pend::<Take>();
                assert_eq!(so_far(&mut cx).len(), 10);
                cx.lock(&mut numbers, |numbers, _| {
                    assert_eq!(numbers.try_send(10), Ok(()));
                    assert_eq!(numbers.try_send(11), Ok(()));
                    assert_eq!(numbers.try_send(12), Err(Full(12)), "the receiver is held back");
                });
                assert_eq!(so_far(&mut cx)[10..], [10, 11]);
            });
        }
    }
}

mod ends {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    thread_local! {
        static DROPPED: Cell<u32> = const { Cell::new(0) };
        static POLLS: Cell<u32> = const { Cell::new(0) };
    }

    mainspring::app! {
        struct Ends;
        device = Chip;
        resources {
            Count: u32 = 0;
        }
        tasks {
            Once = Once(Async::new()), on A, priority 1;
            Never = Never(Async::new(), false), on B, priority 2, uses Write<Count>;
            Cancel = Cancel, on C, priority 3, uses Write<Count>;
        }
        idle uses Write<Count>;
    }

    struct Once(Async<Once, Heap>);
    struct Never(Async<Never, Heap>, bool);
    struct Cancel;

    /// Uses what the task uses, when it is dropped.
    struct Last<'h>(Here<'h, Never>, #[allow(dead_code)] Rc<()>); // Not `Send`.

    impl Drop for Last<'_> {
        fn drop(&mut self) {
            self.0.with(|cx, count| cx.lock(count, |count, _| *count += 1));
            DROPPED.set(DROPPED.get() + 1);
        }
    }

    impl Run for Once {
        fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
            POLLS.set(POLLS.get() + 1);
            let done = self.0.is_done();
            self.0.poll(cx, shared, async |_: Here<'_, Once>| ());
            assert!(self.0.is_done() && done == (POLLS.get() > 1));
        }
    }

    impl Run for Never {
        fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
            if self.1 {
                self.0.cancel(cx, shared);
            } else {
                self.0.poll(cx, shared, async |here: Here<'_, Never>| {
                    let _last = Last(here, Rc::new(()));
                    std::future::pending::<()>().await;
                });
                self.1 = true;
            }
        }
    }

    impl Run for Cancel {
        fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
            cx.pend::<Never>();
        }
    }

    impl Main for Ends {
        fn init(mut cx: Init<Self>) {
            cx.pend::<Once>();
            cx.pend::<Never>();
        }
    }

    #[test]
    fn a_future_is_dropped_by_its_task_once() {
        // SAFETY: this is the only run.
        unsafe {
            host::run_in_one_thread::<Ends, _>(|mut cx, mut count| {
                cx.pend::<Once>();
                assert_eq!((POLLS.get(), DROPPED.get()), (2, 0));
                cx.pend::<Cancel>();
                assert_eq!((DROPPED.get(), cx.lock(&mut count, |count, _| *count)), (1, 1));
                cx.pend::<Never>();
                assert_eq!(DROPPED.get(), 1);
            });
        }
    }
}
