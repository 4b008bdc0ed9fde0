//! Three tasks that take turns, as in Thread-Metric: from where one yields to where the next continues. What its other tests
//! ask for is in crates of their own, or, as more urgent tasks, not there.

#![no_std]
#![no_main]

use core::cell::Cell;
use core::convert::Infallible;
use core::pin::pin;

use lilos::exec::{ALL_TASKS, run_tasks, yield_cpu};
use lm3s6965 as _;
use tasks_lilos::{exit, point};

async fn cooperative(count: &Cell<u32>) -> Infallible {
    for _ in 0..8 {
        count.set(count.get() + 1);
        point::<1>();
        yield_cpu().await;
        point::<6>();
    }
    exit()
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let counts = [const { Cell::new(0) }; 3];
    let [one, two, three] = &counts;
    run_tasks(
        &mut [
            pin!(cooperative(one)),
            pin!(cooperative(two)),
            pin!(cooperative(three)),
        ],
        ALL_TASKS,
    )
}
