//! A task wakes another one, which continues after its `await` when the first gives way: all tasks are thread mode's.

#![no_std]
#![no_main]

use core::convert::Infallible;
use core::pin::pin;

use lilos::exec::{ALL_TASKS, run_tasks, yield_cpu};
use lm3s6965 as _;
use tasks_lilos::event::{happen, happened};
use tasks_lilos::{exit, mark};

async fn t1() -> Infallible {
    loop {
        happened().await;
        mark();
    }
}

async fn t2() -> Infallible {
    mark();
    happen();
    yield_cpu().await;
    mark();
    exit()
}

#[cortex_m_rt::entry]
fn main() -> ! {
    run_tasks(&mut [pin!(t1()), pin!(t2())], ALL_TASKS)
}
