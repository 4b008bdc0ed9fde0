//! `t1` hands a message to `t2` by a channel, and waits for its signal.

#![no_std]
#![no_main]

use embassy_executor::Executor;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_sync::signal::Signal;
use tasks_rv32_embassy::{exit, forever, input, mark, output, times};

static MESSAGES: Channel<CriticalSectionRawMutex, u32, 1> = Channel::new();
static BACK: Signal<CriticalSectionRawMutex, ()> = Signal::new();

#[embassy_executor::task]
async fn t1() {
    for _ in times() {
        let message = input();
        mark::<1>();
        let _ = MESSAGES.try_send(message);
        BACK.wait().await;
    }
    exit()
}

#[embassy_executor::task]
async fn t2() {
    loop {
        let message = MESSAGES.receive().await;
        arrived();
        output(message);
        BACK.signal(());
    }
}

/// A function, so that the point is there once: the compiler doubles the loop.
#[inline(never)]
fn arrived() {
    mark::<2>();
}

#[riscv_rt::entry]
fn main() -> ! {
    let mut executor = Executor::new();
    forever(&mut executor).run(|spawner| {
        if let (Ok(first), Ok(second)) = (t1(), t2()) {
            spawner.spawn(first);
            spawner.spawn(second);
        }
    })
}
