// Threads below tasks behind a PLIC: a UART, a timer and software interrupt them in and around their sections. Ends well if nothing came
// where it was held back, nothing was lost, and whoever was woken ran at once: so it may be interrupted by further sources in any cycle.
//
// The chip's part, beside this: `Chip` and its `Interrupt`s, `send`, after which the UART interrupts until it is `quiet`, and `timer`.

mainspring::app! {
    struct Threads;
    device = Chip;
    resources {
        Among: Guarded = Guarded::new();
        Shared: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on First, priority 1;
        Pended = Pended, on Asked, priority 1, uses Write<Shared>;
        Mid = Mid, on Second, priority 2, uses Write<Shared>;
        Sent = Sent, on Uart, priority 2, uses Write<Shared>;
        Tick = Tick, on Timer, priority 3;
    }
    threads (waking 3, ticked Tick, switch AskedToo) {
        Urgent = Urgent, priority 3, stack 512;
        Sender = Sender, priority 2, stack 512, uses (Write<Among>, Write<Shared>);
        Sleeper = Sleeper, priority 2, stack 512, uses (Write<Among>, Write<Shared>);
        Last = Last, priority 1, stack 512, uses (Write<Among>, Write<Shared>);
    }
}

static EVENT: Semaphore<Threads> = Semaphore::new(0);
static LOW: Tally = Tally::new();
static PENDED: Tally = Tally::new();
static MID: Tally = Tally::new();
static SENT: Tally = Tally::new();
static TAKEN: Tally = Tally::new();
static SLEPT: Tally = Tally::new();

struct Low;
impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        LOW.add();
        let _ = EVENT.give(&mut cx);
    }
}

struct Pended;
impl Run for Pended {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        cx.lock(&mut shared, |shared, _| shared.count());
        PENDED.add();
    }
}

struct Mid;
impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        cx.get(&mut shared).work();
        MID.add();
        let _ = EVENT.give(&mut cx);
    }
}

struct Sent;
impl Run for Sent {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        quiet();
        cx.get(&mut shared).work();
        SENT.add();
        let _ = EVENT.give(&mut cx);
    }
}

struct Tick;
impl Run for Tick {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        timer(false);
        cx.tick();
    }
}

struct Urgent;
impl Thread for Urgent {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            EVENT.take(&mut cx);
            TAKEN.add();
        }
    }
}

struct Sender;
impl Thread for Sender {
    fn run(&mut self, mut cx: Context<Self>, (mut among, mut shared): Handles<Self>) {
        for round in 0..2 {
            cx.lock(&mut among, |among, _| among.work());
            let (sent, pended) = cx.lock(&mut shared, |shared, cx| {
                let (sent, pended) = (SENT.get(), PENDED.get());
                send();
                cx.pend::<Pended>();
                shared.work();
                if (SENT.get(), PENDED.get()) != (sent, pended) {
                    broken();
                }
                (sent, pended)
            });
            // The end of the section: both tasks, and whom one of them has woken.
            let now = SENT.get();
            if now == sent || PENDED.get() == pended || TAKEN.get() < now {
                broken();
            }
            let taken = TAKEN.get();
            send();
            if TAKEN.get() == taken {
                broken();
            }
            cx.yield_now();
            while SLEPT.get() == round {
                timer(true);
                cx.yield_now();
            }
        }
    }
}

struct Sleeper;
impl Thread for Sleeper {
    fn run(&mut self, mut cx: Context<Self>, (mut among, mut shared): Handles<Self>) {
        for _ in 0..2 {
            cx.lock((&mut among, &mut shared), |(among, shared), _| {
                among.work();
                shared.work();
            });
            cx.sleep(Ticks(2));
            SLEPT.add();
        }
    }
}

struct Last;
impl Thread for Last {
    fn run(&mut self, mut cx: Context<Self>, (mut among, mut shared): Handles<Self>) {
        cx.join::<Sender>();
        cx.join::<Sleeper>();
        cx.atomic(|cx| {
            let (among, shared) = (cx.get(&mut among).total(), cx.get(&mut shared).total());
            let gives = LOW.get() + MID.get() + SENT.get();
            let sums = among == 4 && shared == 4 + PENDED.get() + MID.get() + SENT.get();
            // A message given just now may not have been taken yet.
            verdict(sums && gives == TAKEN.get() + EVENT.count() && SENT.get() >= 4 && PENDED.get() == 2)
        });
    }
}

impl Main for Threads {
    fn init(_: Init<Self>) {
        timer(false);
    }
}
