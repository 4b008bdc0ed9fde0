// The threads and tasks of `sweep-queue`: the same text on every core. Included after the table.

static MESSAGES: Queue<Sweep, (u32, u32), 2> = Queue::new();
static PORT: Port<Answers, u32, u32> = Port::new();
static REPORTS: Queue<Sweep, u32, 1> = Queue::new();
static HURRY: Semaphore<Sweep> = Semaphore::new(0);
/// How often the hurrying thread was told to, and did.
static HURRIES: [Tally; 2] = [const { Tally::new() }; 2];
static SENT: [Tally; 3] = [const { Tally::new() }; 3];
static RECEIVED: [Tally; 3] = [const { Tally::new() }; 3];

struct Sends;
impl Run for Sends {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(0);
        if MESSAGES.try_send(&mut cx, (0, SENT[0].get())).is_ok() {
            SENT[0].add();
        }
    }
}

struct Also;
impl Run for Also {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(1);
        if MESSAGES.try_send(&mut cx, (1, SENT[1].get())).is_ok() {
            SENT[1].add();
        }
        HURRIES[0].add();
        let _ = HURRY.give(&mut cx);
    }
}

/// More urgent than the answering thread: its question comes while another is being answered.
struct Hurries;
impl Thread for Hurries {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            HURRY.take(&mut cx);
            if PORT.call(&mut cx, 7) != 21 {
                broken();
            }
            HURRIES[1].add();
            if HURRIES[1].get() == 1 {
                REPORTS.send(&mut cx, 1);
            }
        }
    }
}

struct Other;
impl Run for Other {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        came(2);
    }
}

struct Answers;
impl Thread for Answers {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        PORT.serve(&mut cx, |question, _| question * 3)
    }
}

struct Receives;
impl Thread for Receives {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            let (from, number) = MESSAGES.receive(&mut cx);
            let received = &RECEIVED[from as usize % 3];
            if received.get() != number {
                broken();
            }
            received.add();
            if PORT.call(&mut cx, number) != number * 3 {
                broken();
            }
        }
    }
}

struct Asks;
impl Thread for Asks {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for number in 0..3 {
            MESSAGES.send(&mut cx, (2, number));
            SENT[2].add();
            if PORT.call(&mut cx, number) != number * 3 {
                broken();
            }
            // Whoever receives is more urgent, and has done so.
            let all = cx.atomic(|_| total(&SENT) == total(&RECEIVED));
            if !all {
                broken();
            }
        }
        // From a more urgent thread: if it has not hurried yet, this waits, and continues when that one waits again.
        if REPORTS.receive(&mut cx) != 1 {
            broken();
        }
    }
}

fn total(tallies: &[Tally]) -> u32 {
    tallies.iter().map(Tally::get).sum()
}

struct Last;
impl Thread for Last {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.atomic(|_| HURRIES[0].add());
        let _ = HURRY.give(&mut cx);
        cx.join::<Asks>();
        let left = MESSAGES.len(&cx) as u32;
        cx.atomic(|_| {
            let (sent, received) = (total(&SENT), total(&RECEIVED));
            verdict(HURRIES[0].get() == HURRIES[1].get() && SENT[2].get() == 3 && sent >= received && sent - received <= 2 + left)
        })
    }
}
