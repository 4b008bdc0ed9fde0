//! Every cycle tried: messages from two tasks to a third that is between them.
//!
//! Each sender numbers its messages. The receiver must see every number once and in order, however the other sender and
//! the receiver itself interrupt.

#![no_std]
#![no_main]

use mainspring::{Context, Handle, Handles, Idle, Init, Level, Main, Post, Receive, Run};
use tasks_rv32_mainspring::sweep::{Tally, broken, verdict};
use tasks_rv32_mainspring::{Chip, Interrupt, acknowledge};

mainspring::app! {
    struct Sweep;
    device = Chip;
    tasks {
        Low = Low { sender: Sender::new(0) }, on A, priority 1, uses Post<Log>;
        Log = Log { last: [0; 2] }, on B, priority 2, inbox [Note; 2];
        High = High { sender: Sender::new(1) }, on Line, priority 3, uses Post<Log>;
    }
}

static SENT: [Tally; 2] = [const { Tally::new() }; 2];
static RECEIVED: [Tally; 2] = [const { Tally::new() }; 2];

#[derive(Clone, Copy)]
struct Note {
    from: usize,
    number: u32,
    /// So that a message that was put together from two is noticed.
    check: u32,
}

struct Sender {
    who: usize,
    number: u32,
}

impl Sender {
    const fn new(who: usize) -> Self {
        Sender { who, number: 0 }
    }

    fn send(&mut self, cx: &Context<impl Level<App = Sweep>>, log: &mut Handle<Post<Log>>) {
        let number = self.number + 1;
        let note = Note {
            from: self.who,
            number,
            check: !number,
        };
        if cx.post(log, note).is_ok() {
            self.number = number;
            SENT[self.who].add();
        }
    }
}

struct Low {
    sender: Sender,
}
struct High {
    sender: Sender,
}
struct Log {
    last: [u32; 2],
}

impl Run for Low {
    fn run(&mut self, cx: Context<Self>, mut log: Handles<Self>) {
        for _ in 0..3 {
            self.sender.send(&cx, &mut log);
        }
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut log: Handles<Self>) {
        acknowledge(Interrupt::Line);
        self.sender.send(&cx, &mut log);
        self.sender.send(&cx, &mut log);
    }
}

impl Receive for Log {
    fn receive(&mut self, note: Note, _: Context<Self>, _: Handles<Self>) {
        if note.check != !note.number || note.number != self.last[note.from] + 1 {
            broken();
        }
        self.last[note.from] = note.number;
        RECEIVED[note.from].add();
    }
}

impl Main for Sweep {
    fn init(_: Init<Self>) {}

    fn idle(mut cx: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|_| {
            let arrived = (0..2).all(|who| SENT[who].get() == RECEIVED[who].get());
            verdict(arrived && SENT[0].get() == 3)
        })
    }
}
