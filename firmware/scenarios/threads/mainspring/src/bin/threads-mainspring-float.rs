//! Threads that use the floating-point unit, one that does not, and a tick that stops them anywhere. Ends well if no register was
//! lost.

#![no_std]
#![no_main]

use core::hint::black_box;

use common::{exit, fail};
use mainspring::threads::{Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {}
    threads (tick 700) {
        First = First, priority 2, stack 512;
        Second = Second, priority 2, stack 512;
        Plain = Plain, priority 2, stack 256;
        Last = Last, priority 1, stack 512;
    }
}

static DONE: Semaphore<Scenario> = Semaphore::new(0);

/// As many terms of a sum as the registers hold and more, each by itself.
#[inline(always)]
fn sum(step: f32, mut between: impl FnMut()) -> f32 {
    let mut terms = [0.0_f32; 20];
    for round in 0..12 {
        for (i, term) in terms.iter_mut().enumerate() {
            *term += black_box(step) * i as f32;
        }
        if round % 3 == 0 {
            between();
        }
    }
    terms.iter().sum()
}

/// Two threads that differ in their numbers.
macro_rules! floats {
    ($($thread:ident $step:literal)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
                for _ in 0..4 {
                    let sum = sum($step, || cx.yield_now());
                    // 12 rounds of 0 to 19 times the step: all of these are exact.
                    if sum != 12.0 * 190.0 * $step {
                        fail();
                    }
                }
                let _ = DONE.give(&mut cx);
            }
        }
    )*};
}

floats!(First 0.5 Second 3.0);

struct Plain;
impl Thread for Plain {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for round in 0..40_u32 {
            let numbers = [black_box(round), black_box(round + 1), black_box(round + 2)];
            cx.yield_now();
            if numbers.iter().sum::<u32>() != 3 * round + 3 {
                fail();
            }
        }
        let _ = DONE.give(&mut cx);
    }
}

struct Last;
impl Thread for Last {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in 0..3 {
            DONE.take(&mut cx);
        }
        if sum(0.25, || ()) == 12.0 * 190.0 * 0.25 {
            exit()
        }
        fail()
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
