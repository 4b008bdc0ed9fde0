//! `t1` wakes `t2`, which continues after its `await`, and waits for its signal.

#![no_std]
#![no_main]

use embassy_executor::Executor;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use tasks_rv32_embassy::event::{happen, happened};
use tasks_rv32_embassy::{exit, forever, mark, times};

static BACK: Signal<CriticalSectionRawMutex, ()> = Signal::new();

#[embassy_executor::task]
async fn t1() {
    // The other one begins, and waits.
    BACK.wait().await;
    for _ in times() {
        mark::<1>();
        happen();
        BACK.wait().await;
    }
    exit()
}

#[embassy_executor::task]
async fn t2() {
    BACK.signal(());
    loop {
        happened().await;
        arrived();
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
