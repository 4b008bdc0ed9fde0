// The threads of `threads-mainspring-tickless`, and its task: the same text on every core. Included after the table.

static SLEEP: Semaphore<Scenario> = Semaphore::new(0);
static WOKEN: AtomicU32 = AtomicU32::new(0);

struct Works;
impl Thread for Works {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in rounds(3) {
            let _ = SLEEP.give(&mut cx);
            reached::<62>();
            // The sleeper begins after a tick of its own, and no other thread runs meanwhile.
            let before = WOKEN.load(Relaxed);
            while WOKEN.load(Relaxed) == before {}
        }
        exit()
    }
}

struct Sleeps;
impl Thread for Sleeps {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            SLEEP.take(&mut cx);
            mark::<60>();
            cx.sleep(Ticks(1));
            reached::<61>();
            WOKEN.store(WOKEN.load(Relaxed) + 1, Relaxed);
        }
    }
}

/// Serves the clock.
struct Timer;
impl Run for Timer {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.tick();
    }
}
