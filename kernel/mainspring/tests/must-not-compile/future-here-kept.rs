//! What an `async` task runs with is kept in the task's state, where a second set of handles would be made of it.

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
    tasks { A = A { future: Async::new(), kept: None }, on A, priority 1, uses Write<Shared>; }
}

struct A {
    future: Async<A, Heap>,
    kept: Option<Here<'static, A>>,
}

impl Run for A {
    fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
        let kept = &mut self.kept;
        self.future.poll(cx, shared, async |here: Here<'_, A>| *kept = Some(here));
    }
}

impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
