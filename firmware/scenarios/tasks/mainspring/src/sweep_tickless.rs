// The threads and tasks of `sweep-tickless`: the same text on every core. Included after the table.

static EVENT: Semaphore<Sweep> = Semaphore::new(0);
static LOCK: Mutex<Sweep, u32> = Mutex::new(0);
static GIVEN: Tally = Tally::new();
static TAKEN: Tally = Tally::new();
static SLEPT: Tally = Tally::new();
static WAITED: Tally = Tally::new();

/// Counts of the clock in a tick.
const TICK: u32 = 2_048;
/// Ticks that a wait may last longer than asked for: more urgent threads run meanwhile.
const LATE: u32 = 2;

/// Serves the clock.
struct Time;
impl Run for Time {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.tick();
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        came(0);
        GIVEN.add();
        let _ = EVENT.give(&mut cx);
    }
}

/// So many ticks were to pass since `before`.
fn check(before: Ticks, ticks: u32, now: Ticks) {
    let passed = now.0.wrapping_sub(before.0);
    if passed < ticks || passed > ticks + LATE {
        broken();
    }
}

/// Is the first to wake again and again, and the only one.
struct Sleeps;
impl Thread for Sleeps {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for ticks in [1, 3, 2] {
            let before = cx.now();
            cx.sleep(Ticks(ticks));
            check(before, ticks, cx.now());
        }
        SLEPT.add();
    }
}

/// Waits for what comes or does not, and for a mutex that comes too late, and in time.
struct Waits;
impl Thread for Waits {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for ticks in [1, 2] {
            let before = cx.now();
            match EVENT.take_within(&mut cx, Ticks(ticks)) {
                Ok(()) => TAKEN.add(),
                Err(_) => check(before, ticks, cx.now()),
            }
        }
        let before = cx.now();
        match LOCK.lock_within(&mut cx, Ticks(1)) {
            Ok(mut guard) => *guard += 1,
            Err(_) => check(before, 1, cx.now()),
        }
        match LOCK.lock_within(&mut cx, Ticks(40)) {
            Ok(mut guard) => *guard += 2,
            Err(_) => broken(),
        }
        WAITED.add();
    }
}

struct Last;
impl Thread for Last {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let mut guard = LOCK.lock(&mut cx);
        let before = cx.now();
        cx.sleep(Ticks(5));
        check(before, 5, cx.now());
        *guard += 4;
        drop(guard);
        cx.join::<Sleeps>();
        cx.join::<Waits>();
        let owned = *LOCK.lock(&mut cx) & !1;
        cx.atomic(|_| {
            let gives = TAKEN.get() + EVENT.count();
            verdict(owned == 6 && gives == GIVEN.get() && SLEPT.get() + WAITED.get() == 2)
        })
    }
}
