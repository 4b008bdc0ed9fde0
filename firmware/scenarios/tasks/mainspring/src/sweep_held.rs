// The threads and tasks of `sweep-held`: the same text on every core. Included after the table.

static EVENT: Semaphore<Sweep> = Semaphore::new(0);
static FLAGS: Flags<Sweep> = Flags::new();
static DATA: Mutex<Sweep, Guarded> = Mutex::new(Guarded::new());
static GIVEN: Tally = Tally::new();
static OWN: Tally = Tally::new();
static TAKEN: Tally = Tally::new();
static INSIDE: AtomicBool = AtomicBool::new(false);

/// A section of code that does not know the kernel: no other thread may run meanwhile.
fn alone(f: impl FnOnce()) {
    critical_section::with(|_| {
        come();
        f();
        INSIDE.store(false, Relaxed);
    });
}

fn come() {
    if INSIDE.load(Relaxed) {
        broken();
    }
    INSIDE.store(true, Relaxed);
}

struct Wakes;
impl Run for Wakes {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(0);
        alone(|| {
            GIVEN.add();
            let _ = EVENT.give(&mut cx);
        });
    }
}

struct Also;
impl Run for Also {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(1);
        alone(|| FLAGS.set(&mut cx, 1));
    }
}

struct Other;
impl Run for Other {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        came(2);
    }
}

struct High;
impl Thread for High {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            EVENT.take(&mut cx);
            alone(|| TAKEN.add());
            DATA.lock(&mut cx).work();
        }
    }
}

struct Flagged;
impl Thread for Flagged {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            FLAGS.wait(&mut cx, Wanted::Any(3));
            alone(|| {});
        }
    }
}

struct Equal;
impl Thread for Equal {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in 0..2 {
            alone(|| cx.yield_now());
            cx.yield_now();
        }
    }
}

struct Low;
impl Thread for Low {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in 0..2 {
            let mut data = DATA.lock(&mut cx);
            alone(|| {
                OWN.add();
                let _ = EVENT.give(&mut cx);
                FLAGS.set(&mut cx, 2);
                cx.yield_now();
            });
            data.work();
            // By now a thread waits for it.
            alone(|| drop(data));
            alone(|| cx.resume::<Equal>());
        }
        cx.join::<Equal>();
        let data = DATA.lock(&mut cx);
        cx.atomic(|_| {
            let (gives, takes) = (GIVEN.get() + OWN.get(), TAKEN.get() + EVENT.count());
            verdict(gives == takes && data.total() <= takes + 2)
        })
    }
}
