// The threads of `metric-mainspring`: the same text on every core. Included after the table.

mainspring::pool! {
    struct Blocks;
    bytes = 512;
    classes = [128];
}

static EVENT: Semaphore<Metric> = Semaphore::new(0);
static UNIT: Semaphore<Metric> = Semaphore::new(1);
static MESSAGES: Queue<Metric, [u32; 4], 8> = Queue::new();
static COUNTS: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];

fn count(of: usize) {
    COUNTS[of].store(COUNTS[of].load(Relaxed) + 1, Relaxed);
}

/// Threads that take turns.
macro_rules! cooperative {
    ($($thread:ident $number:literal $before:literal $after:literal)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
                for _ in turns(4) {
                    count($number);
                    mark::<$before>();
                    cx.yield_now();
                    mark::<$after>();
                }
                if $number == 2 {
                    exit()
                }
            }
        }
    )*};
}

cooperative!(One 0 1 5 Two 1 2 6 Three 2 3 7);

struct Works;
impl Thread for Works {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let mut numbers = [0_u32; 32];
        for round in rounds(4) {
            mark::<10>();
            for i in 0..32 {
                let number = &raw mut numbers[i as usize];
                // SAFETY: a place of the array; volatile, so that the work is done as it stands here.
                unsafe { number.write_volatile((number.read_volatile() + i) ^ round) };
            }
            mark::<11>();
        }
        repeat(4, || {
            mark::<20>();
            cx.resume::<Upper>();
            mark::<21>();
        });
        for _ in rounds(4) {
            request::<30>(1);
            EVENT.take(&mut cx);
            reached::<31>();
        }
        for _ in rounds(4) {
            request::<40>(2);
            mark::<41>();
        }
        for round in rounds(4) {
            mark::<50>();
            MESSAGES.send(&mut cx, [round, 1, 2, 3]);
            let [number, ..] = MESSAGES.receive(&mut cx);
            reached::<51>();
            if number != round {
                fail();
            }
        }
        repeat(4, || {
            mark::<60>();
            UNIT.take(&mut cx);
            let _ = UNIT.give(&mut cx);
            reached::<61>();
        });
        repeat(4, || {
            mark::<70>();
            drop(Box::<MaybeUninit<[u32; 32]>, Blocks>::uninit());
            mark::<71>();
        });
    }
}

struct Upper;
impl Thread for Upper {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            cx.suspend::<Self>();
            count(3);
        }
    }
}
