//! A task that overflows the stack of the tasks, in a section, with one below it that it has pre-empted.

#![no_std]
#![no_main]

use core::hint::black_box;

use common::{exit, fail};
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    guard = _stack_end;
    tasks {
        Below = Below, on IRQ0, priority 1;
        Deep = Deep, on IRQ1, priority 2;
        Above = Above, on IRQ2, priority 3;
    }
    threads {
        Asks = Asks, priority 1, stack 512;
    }
}

struct Below;
impl Run for Below {
    fn run(&mut self, cx: Context<Self>, (): Handles<Self>) {
        cx.pend::<Deep>();
    }
}

struct Deep;
impl Run for Deep {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        cx.atomic(|cx| {
            cx.pend::<Above>();
            deeper(black_box(0));
        });
        exit()
    }
}

/// Never runs: it is held back.
struct Above;
impl Run for Above {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        fail()
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

struct Asks;
impl Thread for Asks {
    fn run(&mut self, cx: Context<Self>, (): Handles<Self>) {
        cx.pend::<Below>();
        exit()
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
