//! Study 001 on RV32: work of one microsecond by the cycle counter, done by functions in turn, or by two threads that yield after
//! each piece.

#![no_std]
#![no_main]
#![allow(non_upper_case_globals)] // The study's own name, as in C.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Initials, Main, Run};
use threads_rv32_mainspring::{Chip, Ticks, exit, mark};

mainspring::app! {
    struct Study;
    device = Chip;
    tasks {
        Timer, on Timer, priority 1;
    }
    threads (switch Soft, ticked Timer) {
        First = First, priority 1, stack 512;
        Second = Second, priority 1, stack 512;
    }
}

/// A hundredth of a second at 100 MHz.
const WINDOW: u32 = 100_000_000 / 100;
/// A tick of 1,000 Hz.
const TICK: u32 = 100_000_000 / 1_000;

/// Pieces that the threads have done.
static RTOS_CALL_COUNT: AtomicU32 = AtomicU32::new(0);
/// As many hundredths of a second as there are.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into this program.
static threads_per_second: AtomicU32 = AtomicU32::new(0);
static START: AtomicU32 = AtomicU32::new(0);
static FINISHED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    fn burn_1us();
    fn run_function_call_test();
}

/// Cycles, wrapping.
fn cycles() -> u32 {
    let cycles;
    // SAFETY: reads the counter, and no more.
    unsafe { asm!("csrr {}, mcycle", out(reg) cycles, options(nomem, nostack)) };
    cycles
}

/// The body of each thread.
macro_rules! worker {
    ($($worker:ident $before:literal $after:literal)*) => {$(
        struct $worker;
        impl Thread for $worker {
            fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
                while cycles().wrapping_sub(START.load(Relaxed)) < WINDOW {
                    // SAFETY: reads the cycle counter, and no more.
                    unsafe { burn_1us() };
                    RTOS_CALL_COUNT.store(RTOS_CALL_COUNT.load(Relaxed) + 1, Relaxed);
                    mark::<$before>();
                    cx.yield_now();
                    mark::<$after>();
                }
                FINISHED.store(FINISHED.load(Relaxed) + 1, Relaxed);
                if FINISHED.load(Relaxed) == 2 {
                    threads_per_second.store(RTOS_CALL_COUNT.load(Relaxed) * 100, Relaxed);
                    exit()
                }
            }
        }
    )*};
}

worker!(First 1 3 Second 2 4);

struct Timer(Ticks);
impl Run for Timer {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        self.0.again();
        cx.tick();
    }
}

impl Main for Study {
    fn init(_: Init<Self>) -> Initials<Self> {
        // SAFETY: counts for a hundredth of a second, and no more.
        unsafe { run_function_call_test() };
        START.store(cycles(), Relaxed);
        Initials::<Self> {
            Timer: Timer(Ticks::start(TICK)),
        }
    }
}
