// The threads of `threads-mainspring`, and its task: the same text on every core. Included after the table.

static LOCK: Mutex<Scenario, u32> = Mutex::new(0);
static COUNT: Semaphore<Scenario> = Semaphore::new(1);
static QUESTIONS: Queue<Scenario, u32, 4> = Queue::new();
static ANSWERS: Queue<Scenario, u32, 4> = Queue::new();
static PORT: Port<Serves, u32, u32> = Port::new();
static FLAGS: Flags<Scenario> = Flags::new();
static START: Semaphore<Scenario> = Semaphore::new(0);
static EVENT: Semaphore<Scenario> = Semaphore::new(0);
static SLEEP: Semaphore<Scenario> = Semaphore::new(0);

struct First;
impl Thread for First {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in turns(3) {
            mark::<10>();
            cx.yield_now();
            mark::<12>();
        }
        let _ = START.give(&mut cx);
    }
}

/// Without equals. Each thing is a function of its own, so that no part of the next one's beginning is counted to its end.
struct Works;
impl Thread for Works {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        START.take(&mut cx);
        mutex(&mut cx);
        semaphore(&mut cx);
        messages(&mut cx);
        calls(&mut cx);
        flags(&mut cx);
        for _ in rounds(3) {
            request::<70>(1);
            mark::<73>();
        }
        for _ in rounds(3) {
            let _ = SLEEP.give(&mut cx);
            let before = cx.now();
            while cx.now() == before {}
        }
        exit()
    }
}

/// Of a mutex that has had an owner: the first lock enters it into a list, as making one does elsewhere.
#[inline(never)]
fn mutex(cx: &mut Context<Works>) {
    drop(LOCK.lock(cx));
    repeat(3, || {
        mark::<20>();
        drop(LOCK.lock(cx));
        reached::<21>();
    });
}

#[inline(never)]
fn semaphore(cx: &mut Context<Works>) {
    repeat(3, || {
        mark::<30>();
        COUNT.take(cx);
        let _ = COUNT.give(cx);
        reached::<31>();
    });
}

#[inline(never)]
fn messages(cx: &mut Context<Works>) {
    for round in rounds(3) {
        mark::<40>();
        QUESTIONS.send(cx, round);
        let answer = ANSWERS.receive(cx);
        mark::<41>();
        if answer != round + 1 {
            fail();
        }
    }
}

#[inline(never)]
fn calls(cx: &mut Context<Works>) {
    for round in rounds(3) {
        mark::<42>();
        let answer = PORT.call(cx, round);
        mark::<43>();
        if answer != round + 1 {
            fail();
        }
    }
}

#[inline(never)]
fn flags(cx: &mut Context<Works>) {
    for _ in rounds(3) {
        mark::<50>();
        FLAGS.set(cx, 1);
        FLAGS.wait(cx, Wanted::All(1));
        mark::<51>();
    }
}

struct Second;
impl Thread for Second {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            mark::<11>();
            cx.yield_now();
            mark::<13>();
        }
    }
}

struct Answers;
impl Thread for Answers {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            let question = QUESTIONS.receive(&mut cx);
            ANSWERS.send(&mut cx, question + 1);
        }
    }
}

/// Answers questions.
struct Serves;
impl Thread for Serves {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        PORT.serve(&mut cx, |question, _| question + 1)
    }
}

struct Awaits;
impl Thread for Awaits {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            EVENT.take(&mut cx);
            reached::<72>();
        }
    }
}

struct Sleeps;
impl Thread for Sleeps {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            SLEEP.take(&mut cx);
            cx.sleep(Ticks(1));
            reached::<61>();
        }
    }
}

struct Interrupted;
impl Run for Interrupted {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        lower();
        let _ = EVENT.give(&mut cx);
        reached::<71>();
    }
}
