//! `t1` hands a message to `t2`, a task of a more urgent executor, by a channel.

#![no_std]
#![no_main]

use embassy_executor::InterruptExecutor;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use lm3s6965::Interrupt;
use tasks_embassy::{exit, input, mark, output, prioritize};

static LOW: InterruptExecutor = InterruptExecutor::new();
static HIGH: InterruptExecutor = InterruptExecutor::new();
static MESSAGES: Channel<CriticalSectionRawMutex, u32, 1> = Channel::new();

#[unsafe(no_mangle)] // SAFETY: the vector's own name.
extern "C" fn GPIOA() {
    // SAFETY: this is the interrupt that the executor was started on.
    unsafe { LOW.on_interrupt() }
}

#[unsafe(no_mangle)] // SAFETY: the vector's own name.
extern "C" fn UART1() {
    // SAFETY: as above.
    unsafe { HIGH.on_interrupt() }
}

#[embassy_executor::task]
async fn t1() {
    let message = input();
    mark();
    let _ = MESSAGES.try_send(message);
}

#[embassy_executor::task]
async fn t2() {
    loop {
        let message = MESSAGES.receive().await;
        mark();
        output(message);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    prioritize(Interrupt::GPIOA, Interrupt::UART1);
    let (low, high) = (LOW.start(Interrupt::GPIOA), HIGH.start(Interrupt::UART1));
    if let (Ok(t2), Ok(t1)) = (t2(), t1()) {
        high.spawn(t2);
        low.spawn(t1);
    }
    exit()
}
