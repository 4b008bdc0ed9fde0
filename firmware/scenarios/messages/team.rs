// A process with two threads, the same text on every core: while one waits for somebody else the other one serves, and can end that wait;
// what one does wrong ends both. And who serves is as urgent as the most urgent one who waits, whoever else could run.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mainspring::process::{Cx, Error, Message, Process, Team, stop};

const ASK: usize = 0;
const WHICH: usize = 1;
const CANCEL: usize = 2;
const COUNT: usize = 3;
const CRASH: usize = 4;

include!("asks.rs");

/// Asks, and is the least urgent process that does.
struct Low;

impl Process for Low {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        // The first thread asks the disk, and the second one serves meanwhile.
        check(cx.call::<Server>(about(ASK, 1)) == Ok([8, 0, 0, 0, 0]));
        check(cx.call::<Order>(Message::default()) == Ok([2, 0, 0, 0, 0]));
        // The second one ends its wait.
        check(cx.call::<Server>(about(ASK, 2)) == Ok([99, 0, 0, 0, 0]));
        // Both begin anew, with the first state.
        for _ in 0..2 {
            check(cx.call::<Server>(about(COUNT, 0)) == Ok([1, 0, 0, 0, 0]));
            check(cx.call::<Server>(about(COUNT, 0)) == Ok([2, 0, 0, 0, 0]));
            check(cx.call::<Server>(about(CRASH, 0)) == Err(Error::Died));
        }
        // A process that asked for nothing hears nothing.
        check(cx.call::<Server>(about(CANCEL, 1)) == Ok([0; 5]));
        exit()
    }
}

/// Would run whenever it can.
struct Middle;

impl Process for Middle {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, _| cx.call::<Order>(about(2, 0)).unwrap_or([0; 5]))
    }
}

/// More urgent than all, and wants a server that is busy with the least urgent.
struct High;

impl Process for High {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, request| {
            if request.message.words[0] == 1 {
                check(cx.call::<Server>(about(WHICH, 0)) == Ok([1, 0, 0, 0, 0]));
                check(cx.send::<Middle>(Message::default()).is_ok());
                // It is at work for the other one. Were it no more urgent than that, it would wait for `Middle` now.
                check(cx.call::<Disk>(about(0, 6)) == Ok([13, 0, 0, 0, 0]));
                check(cx.call::<Order>(about(1, 0)).is_ok());
            } else {
                check(cx.call::<Server>(about(CANCEL, 0)) == Ok([1, 0, 0, 0, 0]));
            }
            [0; 5]
        })
    }
}

struct Server {
    count: AtomicUsize,
}

impl Team for Server {
    type Processes = System;

    fn run(&self, cx: Cx<Self>, thread: usize) -> ! {
        cx.serve(|cx, request| {
            let [word, ..] = request.message.words;
            match request.message.id {
                ASK => match cx.call::<Disk>(about(word, 7)) {
                    Ok([answer, ..]) => [answer + 1, thread, 0, 0, 0],
                    Err(Error::Cancelled) => [99, thread, 0, 0, 0],
                    Err(_) => fail(),
                },
                WHICH => {
                    check(cx.call::<Order>(Message::default()).is_ok());
                    [thread, 0, 0, 0, 0]
                }
                CANCEL => [usize::from(cx.cancel(word)), 0, 0, 0, 0],
                COUNT => {
                    self.count.store(self.count.load(Relaxed) + 1, Relaxed);
                    [self.count.load(Relaxed), 0, 0, 0, 0]
                }
                CRASH => stop(),
                _ => fail(),
            }
        })
    }
}

/// Serves the threads of the server, and lets a more urgent process run in between.
struct Disk;

impl Process for Disk {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, request| {
            let turn = request.message.id;
            if turn != 0 {
                check(request.from == 3);
                check(cx.send::<High>(about(0, turn)).is_ok());
                return [7, 0, 0, 0, 0];
            }
            [request.message.words[0] + 7, 0, 0, 0, 0]
        })
    }
}

/// Hears in which order processes come: `High` before `Middle`.
struct Order {
    came: usize,
}

impl Process for Order {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| {
            // The number of a row, whichever thread of it asks.
            check(request.from < 6);
            let who = request.message.id;
            if who != 0 {
                self.came += 1;
                check(self.came == who);
            }
            [self.came, 0, 0, 0, 0]
        })
    }
}

mainspring::processes! {
    /// One with two threads, the processes that it asks, and those that ask it.
    struct System;
    chip = Chip;
    processes {
        Low = Low, priority 1, memory SMALL, calls (Server, Order);
        Middle = Middle, priority 3, memory SMALL, calls (Order);
        High = High, priority 5, memory SMALL, calls (Server, Disk, Order, Middle);
        Server = Server { count: AtomicUsize::new(0) }, priority 2, memory TEAM, calls (Disk, Order), threads 2 stack 512;
        Disk = Disk, priority 0, memory SMALL, calls (High);
        Order = Order { came: 0 }, priority 6, memory SMALL, calls ();
    }
}
