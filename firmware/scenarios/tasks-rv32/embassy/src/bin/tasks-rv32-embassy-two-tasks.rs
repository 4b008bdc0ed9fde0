//! Two tasks, of which the first ends the program.

#![no_std]
#![no_main]

use embassy_executor::Executor;
use tasks_rv32_embassy::{exit, forever, mark};

#[embassy_executor::task]
async fn t1() {
    mark::<1>();
    exit()
}

#[embassy_executor::task]
async fn t2() {}

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
