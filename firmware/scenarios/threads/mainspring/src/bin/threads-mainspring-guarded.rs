//! A thread whose stack overflows: its guard finds it, without a tick.

#![no_std]
#![no_main]

use core::hint::black_box;

use common::{exit, fail};
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Idle, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    guard = _stack_end;
    tasks {
        Comes = Comes, on IRQ1, priority 1;
    }
    threads {
        Works = Works, priority 2, stack 512;
        Deep = Deep, priority 1, stack 512;
    }
}

/// Comes in any cycle, also in the last that the stack has room for.
struct Comes;
impl Run for Comes {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

/// Begins anew: its guard stays where it is.
struct Works;
impl Thread for Works {
    fn run(&mut self, cx: Context<Self>, (): Handles<Self>) {
        let unused = cx.unused_stack();
        if !(300..512 - 32).contains(&unused) {
            fail()
        }
    }
}

/// Calls itself until there is no stack left.
struct Deep;
impl Thread for Deep {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        if !cx.restart::<Works>() {
            fail()
        }
        deeper(black_box(0));
        exit()
    }
}

#[inline(never)]
fn deeper(depth: u32) -> u32 {
    if depth > 10_000 {
        exit()
    }
    let below = black_box(deeper(black_box(depth + 1)));
    below.wrapping_mul(depth)
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(_: Context<Idle<Self>>, (): Handles<Idle<Self>>) -> ! {
        fail()
    }
}
