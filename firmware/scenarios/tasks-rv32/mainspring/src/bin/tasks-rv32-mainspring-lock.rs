//! Sections of `t1`, one after the other: of a resource that it shares with the more urgent `t2`, again, of two resources at
//! once, of one at whose ceiling it is, and one that holds back everything.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_rv32_mainspring::{Chip, exit, mark, times};

mainspring::app! {
    struct Scenario;
    device = Chip;
    resources {
        A1: u32 = 0;
        A2: u32 = 0;
        Own: u32 = 0;
    }
    tasks {
        T1 = T1 { counter: 0 }, on A, priority 1, uses (Write<A1>, Write<A2>, Write<Own>);
        T2 = T2, on Line, priority 2, uses (Write<A1>, Write<A2>);
    }
    idle uses Write<Own>;
}

struct T1 {
    counter: u32,
}
struct T2;

impl Run for T1 {
    fn run(&mut self, mut cx: Context<Self>, (mut a1, mut a2, mut own): Handles<Self>) {
        mark::<1>();
        cx.lock(&mut a1, |_, _| mark::<2>());
        mark::<3>();
        cx.lock(&mut a1, |_, _| mark::<4>());
        mark::<5>();
        cx.lock((&mut a1, &mut a2), |_, _| mark::<6>());
        mark::<7>();
        cx.lock(&mut own, |_, _| mark::<8>());
        mark::<9>();
        cx.atomic(|_| mark::<10>());
        mark::<11>();
        self.counter += 1;
        mark::<12>();
        *cx.get(&mut own) += 1;
        mark::<13>();
        count();
        mark::<14>();
    }
}

impl Run for T2 {
    fn run(&mut self, cx: Context<Self>, (mut a1, mut a2): Handles<Self>) {
        *cx.get(&mut a1) += *cx.get(&mut a2);
    }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(cx: Context<Idle<Self>>, _own: Handles<Idle<Self>>) -> ! {
        for _ in times() {
            cx.pend::<T1>();
        }
        exit()
    }
}

static mut COUNTER: u32 = 0;

/// Counts up without any protection: what the access to protected data is compared with.
fn count() {
    // SAFETY: in this program one task alone uses the counter.
    unsafe { COUNTER += 1 }
}
