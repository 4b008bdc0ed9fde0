//! A reference to shared data lives across an `await`, while others run.

use mainspring::future::{Async, Here};
use mainspring::{Context, Device, Handles, Init, Main, Run, Write};

struct Chip;
enum Interrupt {
    A = 0,
}
// SAFETY: this is compiled, and never run.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

mainspring::pool! { struct Heap; bytes = 256; classes = [64]; }

mainspring::app! {
    struct Demo;
    device = Chip;
    resources { Shared: u32 = 0; }
    tasks { A = A { future: Async::new() }, on A, priority 1, uses Write<Shared>; }
}

struct A {
    future: Async<A, Heap>,
}

impl Run for A {
    fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
        self.future.poll(cx, shared, async |mut here: Here<'_, A>| {
            let data = here.with(|cx, shared| cx.get(shared));
            here.next().await;
            *data += 1;
        });
    }
}

impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
