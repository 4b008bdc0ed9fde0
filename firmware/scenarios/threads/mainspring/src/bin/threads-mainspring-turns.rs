//! Two equals, each of which is pre-empted in its turn, by a more urgent thread that an interrupt wakes: it goes on before the other,
//! whoever had the turn when a switch last looked.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use common::{exit, fail};
use cortex_m::peripheral::NVIC;
use mainspring::threads::{Semaphore, Thread};
use mainspring::{Context, Handles, Init, Main, Run};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        Interrupted = Interrupted, on IRQ1, priority 1;
    }
    threads {
        First = First, priority 1, stack 256;
        Second = Second, priority 1, stack 256;
        Awaits = Awaits, priority 2, stack 256;
    }
}

static EVENT: Semaphore<Scenario> = Semaphore::new(0);
/// Whose turn it is, and how many turns there were.
static TURN: AtomicU32 = AtomicU32::new(0);
static TURNS: AtomicU32 = AtomicU32::new(0);

/// Makes the task's interrupt pending.
fn request() {
    // SAFETY: the register is there on every Cortex-M, and the interrupt has a task.
    unsafe { (*NVIC::PTR).ispr[0].write(1 << 1) };
}

macro_rules! takes_turns {
    ($($thread:ident $own:literal)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
                loop {
                    TURN.store($own, Relaxed);
                    for _ in 0..2 {
                        request();
                        cortex_m::asm::delay(20);
                        if TURN.load(Relaxed) != $own {
                            fail();
                        }
                    }
                    let turns = TURNS.load(Relaxed) + 1;
                    TURNS.store(turns, Relaxed);
                    if turns == 8 {
                        exit();
                    }
                    cx.yield_now();
                }
            }
        }
    )*};
}

takes_turns! { First 1 Second 2 }

struct Awaits;
impl Thread for Awaits {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        loop {
            EVENT.take(&mut cx);
        }
    }
}

struct Interrupted;
impl Run for Interrupted {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let _ = EVENT.give(&mut cx);
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
