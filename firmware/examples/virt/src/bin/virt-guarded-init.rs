//! Mainspring with guards below its stacks: `init` overflows the one that it runs on, which is the tasks' later.

#![no_std]
#![no_main]

use core::hint::black_box;

use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main, Run};
use riscv_rt as _;
use virt::{PASSED, finish};

/// QEMU's virt, as far as this program uses it.
struct Virt;

/// Interrupts, by their bits in `mie`.
#[repr(u16)]
enum Interrupt {
    Supervisor = 1,
    Soft = 3,
}

// SAFETY: the architecture's bits, which this core has; nothing else writes `mie` or `mtvec`; one core.
unsafe impl mainspring::Device for Virt {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
}

mainspring::app! {
    struct Guarded;
    device = Virt;
    guard = __estack;
    tasks {
        Task = Task, on Soft, priority 1;
    }
    threads (switch Supervisor) {
        Last = Last, priority 1, stack 1024;
    }
}

struct Task;
impl Run for Task {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

struct Last;
impl Thread for Last {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        finish(PASSED)
    }
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
    fn init(_: Init<Self>) {
        black_box(deeper(black_box(0)));
    }
}
