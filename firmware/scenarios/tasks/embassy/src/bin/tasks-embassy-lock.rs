//! `t1` locks a number that it shares with tasks of other executors, twice.

#![no_std]
#![no_main]

use core::cell::Cell;

use embassy_executor::InterruptExecutor;
use lm3s6965::Interrupt;
use tasks_embassy::{Shared, exit, mark};

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();
static A: Shared = Shared::new(Cell::new(0));

#[unsafe(no_mangle)] // SAFETY: the vector's own name.
extern "C" fn GPIOA() {
    // SAFETY: this is the interrupt that the executor was started on.
    unsafe { EXECUTOR.on_interrupt() }
}

#[embassy_executor::task]
async fn t1() {
    mark();
    A.lock(|_| mark());
    mark();
    A.lock(|_| mark());
    mark();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let spawner = EXECUTOR.start(Interrupt::GPIOA);
    if let Ok(token) = t1() {
        spawner.spawn(token);
    }
    exit()
}
