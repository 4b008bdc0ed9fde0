//! More stacks to be guarded than the chip's protection unit has regions.

#![allow(unsafe_code)]

use mainspring::threads::Thread;
use mainspring::{Context, Device, Handles, Init, Main, app};

struct Chip;
// SAFETY: this is compiled, and never run.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = ();
    const GUARDS: usize = 8;
}

app! {
    struct Demo;
    device = Chip;
    guard = _stack_end;
    tasks {}
    threads {
        A = A, priority 1, stack 512;
        B = B, priority 1, stack 512;
        C = C, priority 1, stack 512;
        D = D, priority 1, stack 512;
        E = E, priority 1, stack 512;
        F = F, priority 1, stack 512;
        G = G, priority 1, stack 512;
    }
}

macro_rules! threads {
    ($($thread:ident)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
        }
    )*};
}
threads!(A B C D E F G);

impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
