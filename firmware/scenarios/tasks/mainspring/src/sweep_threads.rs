// The threads and tasks of `sweep-threads`: the same text on every core. Included after the table.

static EVENT: Semaphore<Sweep> = Semaphore::new(0);
static FLAGS: Flags<Sweep> = Flags::new();
static GIVEN: Tally = Tally::new();
static ALSO: Tally = Tally::new();
static SET: Tally = Tally::new();
static TAKEN: Tally = Tally::new();

struct Low;
impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(0);
        GIVEN.add();
        let _ = EVENT.give(&mut cx);
    }
}

struct Mid;
impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        came(1);
        cx.get(&mut shared).work();
        ALSO.add();
        let _ = EVENT.give(&mut cx);
        FLAGS.set(&mut cx, 1);
        SET.add();
    }
}

struct High;
impl Run for High {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        came(2);
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

struct First;
impl Thread for First {
    fn run(&mut self, mut cx: Context<Self>, (mut among, mut shared): Handles<Self>) {
        for _ in 0..3 {
            cx.lock(&mut among, |among, _| among.work());
            cx.yield_now();
            cx.lock(&mut shared, |shared, _| shared.work());
        }
        FLAGS.set(&mut cx, 2);
    }
}

struct Second;
impl Thread for Second {
    fn run(&mut self, mut cx: Context<Self>, (mut among, mut shared): Handles<Self>) {
        for _ in 0..3 {
            cx.lock((&mut among, &mut shared), |(among, shared), _| {
                among.work();
                shared.work();
            });
            cx.yield_now();
        }
        if FLAGS.wait(&mut cx, Wanted::Any(2)) != 2 {
            broken();
        }
    }
}

struct Last;
impl Thread for Last {
    fn run(&mut self, mut cx: Context<Self>, (mut among, mut shared): Handles<Self>) {
        cx.join::<First>();
        cx.join::<Second>();
        let flags = FLAGS.get(&cx);
        cx.atomic(|cx| {
            let (among, shared) = (cx.get(&mut among).total(), cx.get(&mut shared).total());
            let gives = GIVEN.get() + ALSO.get();
            // A message given just now may not have been taken yet.
            let taken = TAKEN.get() + EVENT.count();
            verdict(among == 6 && shared == 6 + ALSO.get() && gives == taken && flags <= 1)
        })
    }
}
