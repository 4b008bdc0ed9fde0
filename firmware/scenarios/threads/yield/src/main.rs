//! Study 001: work of one microsecond by the cycle counter, done by functions in turn, or by two threads that yield after each
//! piece.

#![no_std]
#![no_main]
#![allow(non_upper_case_globals)] // The study's own name, as in C.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use common::{exit, mark};
use cortex_m::peripheral::{DCB, DWT, Peripherals};
use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Study;
    device = Chip;
    tasks {}
    threads (tick 170_000) {
        First = First, priority 1, stack 384;
        Second = Second, priority 1, stack 384;
    }
}

/// A hundredth of a second at 170 MHz.
const WINDOW: u32 = 170_000_000 / 100;

/// Pieces that the threads have done.
static RTOS_CALL_COUNT: AtomicU32 = AtomicU32::new(0);
/// As many hundredths of a second as there are.
#[unsafe(no_mangle)]
static threads_per_second: AtomicU32 = AtomicU32::new(0);
static START: AtomicU32 = AtomicU32::new(0);
static FINISHED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    fn burn_1us();
    fn run_function_call_test();
}

/// The body of each thread.
macro_rules! worker {
    ($($worker:ident $before:literal $after:literal)*) => {$(
        struct $worker;
        impl Thread for $worker {
            fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
                while DWT::cycle_count().wrapping_sub(START.load(Relaxed)) < WINDOW {
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

impl Main for Study {
    fn init(_: Init<Self>) {
        // SAFETY: nothing else runs.
        let mut peripherals = unsafe { Peripherals::steal() };
        DCB::enable_trace(&mut peripherals.DCB);
        peripherals.DWT.enable_cycle_counter();
        // SAFETY: counts for a hundredth of a second, and no more.
        unsafe { run_function_call_test() };
        START.store(DWT::cycle_count(), Relaxed);
    }
}
