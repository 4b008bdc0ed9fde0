//! `init` overflows the stack that it runs on, which is the tasks' later.

#![no_std]
#![no_main]

use core::hint::black_box;

use common::exit;
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    guard = _stack_end;
    tasks {
        Task = Task, on IRQ0, priority 1;
    }
    threads {
        Last = Last, priority 1, stack 512;
    }
}

struct Task;
impl Run for Task {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

struct Last;
impl Thread for Last {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
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
    fn init(_: Init<Self>) {
        black_box(deeper(black_box(0)));
    }
}
