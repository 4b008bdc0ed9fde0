// The threads and tasks of `sweep-mutex`: the same text on every core. Included after the table.

static DATA: Mutex<Sweep, Guarded> = Mutex::new(Guarded::new());
static CHANGED: Condition<Sweep> = Condition::new();
static HIGH: Semaphore<Sweep> = Semaphore::new(1);
static MIDDLE: Semaphore<Sweep> = Semaphore::new(0);
static LOW: Semaphore<Sweep> = Semaphore::new(0);
static BY_HIGH: Tally = Tally::new();
static BY_MIDDLE: Tally = Tally::new();
static BY_LOW: Tally = Tally::new();

struct Wakes;
impl Run for Wakes {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(0);
        let _ = HIGH.give(&mut cx);
        let _ = MIDDLE.give(&mut cx);
    }
}

struct Also;
impl Run for Also {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(1);
        let _ = LOW.give(&mut cx);
        CHANGED.notify_all(&mut cx);
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
            HIGH.take(&mut cx);
            DATA.lock(&mut cx).work();
            BY_HIGH.add();
        }
    }
}

struct Middle;
impl Thread for Middle {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            let _ = MIDDLE.take_within(&mut cx, Ticks(1));
            if let Ok(mut data) = DATA.lock_within(&mut cx, Ticks(1)) {
                data.work();
                BY_MIDDLE.add();
            }
        }
    }
}

struct Low;
impl Thread for Low {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        {
            let mut data = DATA.lock(&mut cx);
            data.work();
            let _ = LOW.take_within(&mut cx, Ticks(1));
            data.work();
            let (data, _) = CHANGED.wait_within(&mut cx, data, Ticks(1));
            drop(data);
            BY_LOW.add();
        }
        let total = {
            let data = DATA.lock(&mut cx);
            if data.is_abandoned() {
                broken();
            }
            cx.atomic(|_| (data.total(), BY_HIGH.get() + BY_MIDDLE.get() + 2 * BY_LOW.get()))
        };
        verdict(total.0 == total.1)
    }
}
