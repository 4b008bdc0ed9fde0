//! One task, which ends the program.

#![no_std]
#![no_main]

use embassy_executor::Executor;
use tasks_rv32_embassy::{exit, forever, mark};

#[embassy_executor::task]
async fn t1() {
    mark::<1>();
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
