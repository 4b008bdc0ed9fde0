//! Sections of a task, one after the other: of a number that it shares with interrupts, again, of two at once, and one that holds back
//! everything.

#![no_std]
#![no_main]

use core::cell::Cell;

use embassy_executor::Executor;
use tasks_rv32_embassy::{Shared, exit, forever, mark, times};

static A: Shared = Shared::new(Cell::new(0));
static B: Shared = Shared::new(Cell::new(0));

#[embassy_executor::task]
async fn t1() {
    for _ in times() {
        mark::<1>();
        A.lock(|_| mark::<2>());
        mark::<3>();
        A.lock(|_| mark::<4>());
        mark::<5>();
        A.lock(|_| B.lock(|_| mark::<6>()));
        mark::<7>();
        critical_section::with(|_| mark::<10>());
        mark::<11>();
    }
    exit()
}

#[riscv_rt::entry]
fn main() -> ! {
    let mut executor = Executor::new();
    forever(&mut executor).run(|spawner| {
        if let Ok(token) = t1() {
            spawner.spawn(token);
        }
    })
}
