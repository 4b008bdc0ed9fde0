//! Nothing of a program's is hidden by a name that a macro uses for itself.

use mainspring::time::Clock;
use mainspring::*;

struct Chip;
enum Interrupt {
    TIM2 = 28,
    EXTI0 = 6,
}
// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

const PLACE: u32 = 1;
const INBOX: usize = 2;
const STACK: usize = 512;
const JOINERS: u8 = 1;
const BYTES: usize = 512;
const CLOCK: Counter = Counter;
const KERNEL: u32 = 8;
const CLASSES: usize = 64;
const CLASS: usize = 12;
const STORE: usize = 128;
const TICK: u32 = 10;
const UNCLAIMED: u32 = 3;

struct Counter;
impl Clock for Counter {
    type Instant = u64;
    type Duration = u64;
    const LONGEST: u32 = 1 << 30;
    fn count() -> u32 {
        0
    }
    fn wake_after(&mut self, _: u32) {}
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Store(u32);

app! {
    struct App;
    device = Chip;
    resources {
        Data: [u32; STORE] = [PLACE; STORE];
        Place: Store = Store(KERNEL);
        Größe: u32 = UNCLAIMED;
        r#Box: u32;
    }
    tasks {
        Tick = Tick, on TIM2, priority 2;
        Named = Named(PLACE), on EXTI0, priority JOINERS, uses { cx: Write<Data>, r#type: Write<Größe>, handles: Write<Box> }, inbox [Store; INBOX];
    }
    threads (waking 2, ticked Tick, clock (Counter = CLOCK, tick TICK), idle BYTES) {
        Idle = Idle, priority JOINERS, stack STACK, uses Write<Place>;
        Thread = Thread, priority 2, stack STACK + BYTES;
    }
}
pool! {
    struct Pool;
    bytes = STORE;
    up_to = 64;
}
pool! {
    struct Heap;
    bytes = CLASSES;
    classes = [16];
}
object_pool!(Frames: Store, INBOX, Store(PLACE));
box_pool!(Messages: [u8; BYTES], CLASS);

struct Tick;
impl Run for Tick {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.tick();
    }
}

struct Named(u32);
impl Receive for Named {
    fn receive(&mut self, message: Store, cx: Context<Self>, mut shared: Handles<Self>) {
        cx.get(&mut shared.cx)[0] = message.0 + self.0;
        *cx.get(&mut shared.r#type) += *cx.get(&mut shared.handles);
    }
}

struct Idle;
impl threads::Thread for Idle {
    fn run(&mut self, mut cx: Context<Self>, mut place: Handles<Self>) {
        cx.lock(&mut place, |place, _| place.0 += 1);
    }
}

struct Thread;
impl threads::Thread for Thread {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

impl Main for App {
    fn init(mut cx: Init<Self>) -> Initials<Self> {
        let _ = cx.post::<Named>(Store(7));
        Initials::<Self> { r#Box: 1 }
    }
}

fn main() {
    use pool::ported::BoxPool;
    use pool::{ObjectPool, Pool as _};
    assert_eq!(Frames.request().as_deref(), Some(&Store(1)));
    assert!(Messages.alloc([0; BYTES]).is_ok());
    assert_eq!(pool::Box::<u32, Pool>::new(1).as_deref().ok(), Some(&1));
    assert_eq!((Pool::NAME, Heap::NAME), ("Pool", "Heap"));
    host::run::<App, _>(|_, ()| ());
}
