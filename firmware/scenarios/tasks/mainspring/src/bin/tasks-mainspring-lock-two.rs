//! `t1` locks two resources that it shares with the more urgent `t2`, twice.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    resources {
        A: u32 = 0;
        B: u32 = 0;
    }
    tasks {
        T1 = T1, on GPIOA, priority 1, uses (Write<A>, Write<B>);
        T2 = T2, on GPIOB, priority 2, uses (Write<A>, Write<B>);
    }
}

struct T1;
struct T2;

impl Run for T1 {
    fn run(&mut self, mut cx: Context<Self>, (mut a, mut b): Handles<Self>) {
        mark();
        cx.lock((&mut a, &mut b), |_, _| mark());
        mark();
        cx.lock((&mut a, &mut b), |_, _| mark());
        mark();
    }
}

impl Run for T2 {
    fn run(&mut self, cx: Context<Self>, (mut a, mut b): Handles<Self>) {
        let _ = (cx.get(&mut a), cx.get(&mut b));
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) {
        cx.pend::<T1>();
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        exit()
    }
}
