// Tasks behind a PLIC: locks, nested levels, a timer and a UART that interrupt inside of them. Ends well if nothing came where it was held
// back, and nothing was lost: so it may be interrupted by further sources in any cycle.
//
// The chip's part, beside this: `Chip` and its `Interrupt`s, `send`, after which the UART interrupts until it is `quiet`, and `timer`.

mainspring::app! {
    struct Tasks;
    device = Chip;
    resources {
        Outer: Guarded = Guarded::new();
        Inner: Guarded = Guarded::new();
        Ticks: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on Asked, priority 1, uses (Write<Outer>, Write<Inner>, Write<Ticks>);
        Mid = Mid, on First, priority 2, uses (Write<Outer>, Write<Inner>);
        Same = Same, on AskedToo, priority 2, uses Write<Outer>;
        Tick = Tick, on Timer, priority 3, uses Write<Ticks>;
        High = High, on Second, priority 4, uses Write<Inner>;
        Sent = Sent, on Uart, priority 5;
    }
    idle uses (Write<Outer>, Write<Inner>, Write<Ticks>);
}

static MID: Tally = Tally::new();
static SAME: Tally = Tally::new();
static TICK: Tally = Tally::new();
static HIGH: Tally = Tally::new();
static SENT: Tally = Tally::new();

struct Low;
struct Mid;
struct Same;
struct Tick;
struct High;
struct Sent;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut inner, mut ticks): Handles<Self>) {
        cx.lock(&mut outer, |outer, cx| {
            outer.count();
            let sent = SENT.get();
            send();
            cx.lock(&mut inner, |inner, cx| {
                inner.work();
                // Held back until the outer section ends.
                cx.pend::<Same>();
                if SENT.get() == sent {
                    broken(); // It is more urgent than the sections.
                }
                inner.count();
            });
            outer.work();
            let before = TICK.get();
            cx.lock(&mut ticks, |ticks, _| {
                timer(true);
                ticks.work();
                if TICK.get() != before {
                    broken();
                }
            });
            // It has a ceiling of its own, above that of `outer`.
            if TICK.get() != before + 1 {
                broken();
            }
        });
        // Its line is there again.
        let before = TICK.get();
        timer(true);
        if TICK.get() != before + 1 {
            broken();
        }
        cx.disable::<Sent>();
        let sent = SENT.get();
        send();
        if SENT.get() != sent {
            broken();
        }
        cx.enable::<Sent>();
        if SENT.get() == sent {
            broken();
        }
        let sent = cx.atomic(|cx| {
            send();
            cx.pend::<Same>();
            SENT.get()
        });
        if SENT.get() == sent || SAME.get() != 2 {
            broken();
        }
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut inner): Handles<Self>) {
        cx.get(&mut outer).work();
        cx.lock(&mut inner, |inner, _| inner.work());
        MID.add();
    }
}

impl Run for Same {
    fn run(&mut self, cx: Context<Self>, mut outer: Handles<Self>) {
        cx.get(&mut outer).work();
        SAME.add();
    }
}

impl Run for Tick {
    fn run(&mut self, cx: Context<Self>, mut ticks: Handles<Self>) {
        timer(false);
        cx.get(&mut ticks).work();
        TICK.add();
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut inner: Handles<Self>) {
        cx.get(&mut inner).work();
        HIGH.add();
    }
}

impl Run for Sent {
    fn run(&mut self, cx: Context<Self>, (): Handles<Self>) {
        quiet();
        SENT.add();
        // Whoever is less urgent waits for its turn.
        let before = MID.get();
        cx.pend::<Mid>();
        if MID.get() != before {
            broken();
        }
    }
}

impl Main for Tasks {
    fn init(_: Init<Self>) {
        timer(false);
    }

    fn idle(mut cx: Context<Idle<Self>>, (outer, inner, ticks): Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let totals = [
                cx.get(&outer).total(),
                cx.get(&inner).total(),
                cx.get(&ticks).total(),
            ];
            let sums = totals
                == [
                    2 + SAME.get() + MID.get(),
                    2 + MID.get() + HIGH.get(),
                    1 + TICK.get(),
                ];
            verdict(sums && SAME.get() == 2 && TICK.get() == 2 && SENT.get() >= 3 && MID.get() > 0)
        })
    }
}
