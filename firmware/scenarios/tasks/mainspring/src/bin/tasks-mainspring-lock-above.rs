//! `t1` locks a resource that it shares with `t2`, and may have interrupted the idle loop in a section of
//! its own. Twice, as in `lock`.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Main, Run, Write};
use tasks_mainspring::{Chip, exit, mark};

mainspring::app! {
    struct Scenario;
    device = Chip;
    resources {
        A: u32 = 0;
        Below: u32 = 0;
    }
    tasks {
        T1 = T1, on GPIOA, priority 2, uses Write<A>;
        T2 = T2, on GPIOB, priority 3, uses Write<A>;
        T0 = T0, on GPIOC, priority 1, uses Write<Below>;
    }
    idle uses Write<Below>;
}

struct T1;
struct T2;
struct T0;

impl Run for T1 {
    fn run(&mut self, mut cx: Context<Self>, mut a: Handles<Self>) {
        mark();
        cx.lock(&mut a, |_, _| mark());
        mark();
        cx.lock(&mut a, |_, _| mark());
        mark();
    }
}

impl Run for T2 {
    fn run(&mut self, cx: Context<Self>, mut a: Handles<Self>) {
        let _ = cx.get(&mut a);
    }
}

impl Run for T0 {
    fn run(&mut self, cx: Context<Self>, mut below: Handles<Self>) {
        let _ = cx.get(&mut below);
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
