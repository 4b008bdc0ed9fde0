//! `t1` is interrupted by `t2`, which is more urgent and does nothing but lower its line.
//!
//! Entry: from the store that raises the line to `t2`'s first statement. Exit: from its last one back into `t1`.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use tasks_rv32_mainspring::{Chip, LINE, exit, mark, raise, request, times};

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1 = T1, on A, priority 1;
        T2 = T2, on Line, priority 2;
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        request::<1>(LINE);
        wait();
        mark::<4>();
    }
}

/// Instructions that the interrupt comes in.
#[inline(always)]
fn wait() {
    // SAFETY: nothing happens.
    unsafe {
        core::arch::asm!(
            ".rept 16",
            "nop",
            ".endr",
            options(nomem, nostack, preserves_flags)
        )
    }
}

impl Run for T2 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        mark::<2>();
        raise(0);
        mark::<3>();
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(cx: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        for _ in times() {
            cx.pend::<T1>();
        }
        exit()
    }
}
