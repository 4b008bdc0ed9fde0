//! Thread mode wakes an `async` task of an executor in an interrupt, which continues after its `await`.

#![no_std]
#![no_main]

use embassy_executor::InterruptExecutor;
use lm3s6965::Interrupt;
use tasks_embassy::event::{happen, happened};
use tasks_embassy::{exit, mark};

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();

#[unsafe(no_mangle)] // SAFETY: the vector's own name.
extern "C" fn GPIOA() {
    // SAFETY: this is the interrupt that the executor was started on.
    unsafe { EXECUTOR.on_interrupt() }
}

#[embassy_executor::task]
async fn t1() {
    loop {
        happened().await;
        mark();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let spawner = EXECUTOR.start(Interrupt::GPIOA);
    if let Ok(token) = t1() {
        spawner.spawn(token);
    }
    mark();
    happen();
    mark();
    exit()
}
