// A task that has pre-empted another overflows the stack of the tasks. The chip's part, beside this: `Virt` and its `Interrupt`s.

mainspring::app! {
    struct Guarded;
    device = Virt;
    guard = __estack;
    tasks {
        Below = Below, on Soft, priority 1;
        Deep = Deep, on Timer, priority 2;
        Above = Above, on External, priority 3;
    }
}

struct Below;
impl Run for Below {
    fn run(&mut self, cx: Context<Self>, (): Handles<Self>) {
        cx.pend::<Deep>();
        finish(PASSED)
    }
}

struct Deep;
impl Run for Deep {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        black_box(deeper(black_box(0)));
    }
}

struct Above;
impl Run for Above {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

#[inline(never)]
fn deeper(depth: u32) -> u32 {
    if depth > 200_000 {
        finish(PASSED)
    }
    let below = black_box(deeper(black_box(depth + 1)));
    below.wrapping_mul(depth)
}

impl Main for Guarded {
    fn init(_: Init<Self>) {}

    fn idle(cx: Context<Idle<Self>>, (): Handles<Idle<Self>>) -> ! {
        cx.pend::<Below>();
        finish(PASSED)
    }
}
