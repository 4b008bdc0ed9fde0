//! The operations of Thread-Metric, with `async` tasks: one operation of seven of its eight tests between two points. There is no
//! allocator.
//!
//! The tasks of one executor take turns and pre-empt none; a more urgent one is of an executor in an interrupt.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use embassy_executor::{Executor, InterruptExecutor, Spawner};
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_sync::semaphore::{GreedySemaphore, Semaphore};
use embassy_sync::signal::Signal;
use lm3s6965::Interrupt;
use tasks_embassy::{exit, fail, point, prioritize, request_at};

static UPPER: InterruptExecutor = InterruptExecutor::new();
static RESUME: Signal<CriticalSectionRawMutex, ()> = Signal::new();
static EVENT: GreedySemaphore<CriticalSectionRawMutex> = GreedySemaphore::new(0);
static UNIT: GreedySemaphore<CriticalSectionRawMutex> = GreedySemaphore::new(1);
static MESSAGES: Channel<CriticalSectionRawMutex, [u32; 4], 8> = Channel::new();
static COUNTS: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];

fn count(of: usize) {
    COUNTS[of].store(COUNTS[of].load(Relaxed) + 1, Relaxed);
}

#[unsafe(no_mangle)] // SAFETY: the vector's own name.
extern "C" fn GPIOA() {
    // SAFETY: this is the interrupt that the executor was started on.
    unsafe { UPPER.on_interrupt() }
}

#[unsafe(no_mangle)] // SAFETY: as above.
extern "C" fn GPIOB() {
    count(4);
    EVENT.release(1);
}

#[unsafe(no_mangle)] // SAFETY: as above.
extern "C" fn GPIOC() {
    count(5);
    RESUME.signal(());
}

#[embassy_executor::task]
async fn upper() {
    loop {
        RESUME.wait().await;
        count(3);
    }
}

/// Tasks that take turns: from where one yields to where the next goes on.
#[embassy_executor::task(pool_size = 3)]
async fn cooperative(number: usize) {
    for _ in 0..4 {
        count(number);
        point::<1>();
        yield_now().await;
        point::<6>();
    }
    if COUNTS[..3].iter().all(|count| count.load(Relaxed) == 4) {
        exit()
    }
}

#[embassy_executor::task]
async fn works(spawner: Spawner) {
    let mut numbers = [0_u32; 32];
    for round in 0..4 {
        point::<10>();
        for i in 0..32 {
            let number = &raw mut numbers[i as usize];
            // SAFETY: a place of the array; volatile, so that the work is done as it stands here.
            unsafe { number.write_volatile((number.read_volatile() + i) ^ round) };
        }
        point::<11>();
    }
    for _ in 0..4 {
        point::<20>();
        RESUME.signal(());
        point::<21>();
    }
    for _ in 0..4 {
        request_at::<30>(Interrupt::GPIOB as u16);
        let Ok(taken) = EVENT.acquire(1).await;
        taken.disarm();
        point::<31>();
    }
    for _ in 0..4 {
        request_at::<40>(Interrupt::GPIOC as u16);
        point::<41>();
    }
    if COUNTS[3].load(Relaxed) != 8 {
        fail();
    }
    for round in 0..4 {
        point::<50>();
        MESSAGES.send([round, 1, 2, 3]).await;
        let [number, ..] = MESSAGES.receive().await;
        point::<51>();
        if number != round {
            fail();
        }
    }
    for _ in 0..4 {
        point::<60>();
        drop(UNIT.acquire(1).await);
        point::<61>();
    }
    for number in 0..3 {
        if let Ok(token) = cooperative(number) {
            spawner.spawn(token);
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut EXECUTOR: Option<Executor> = None;
    prioritize(Interrupt::GPIOA, Interrupt::GPIOB);
    prioritize(Interrupt::GPIOA, Interrupt::GPIOC);
    // SAFETY: their handlers are above, and what they use is there.
    unsafe {
        cortex_m::peripheral::NVIC::unmask(Interrupt::GPIOB);
        cortex_m::peripheral::NVIC::unmask(Interrupt::GPIOC);
    }
    if let Ok(token) = upper() {
        UPPER.start(Interrupt::GPIOA).spawn(token);
    }
    EXECUTOR.insert(Executor::new()).run(|spawner| {
        if let Ok(token) = works(spawner) {
            spawner.spawn(token);
        }
    })
}
