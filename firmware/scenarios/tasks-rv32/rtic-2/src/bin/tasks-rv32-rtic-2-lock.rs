//! Sections of `t1`, one after the other: of a resource that it shares with the more urgent `t2`, again, of two resources at
//! once, and one that holds back everything.

#![no_std]
#![no_main]

use riscv_rt as _;

#[rtic::app(device = pac)]
mod app {
    use tasks_rv32_rtic_2 as pac;
    use tasks_rv32_rtic_2::{exit, mark, times};

    #[shared]
    struct Shared {
        a1: u32,
        a2: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        pac::take_exceptions();
        (Shared { a1: 0, a2: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        for _ in times() {
            let _ = t1::spawn();
        }
        exit()
    }

    #[task(priority = 1, shared = [a1, a2])]
    async fn t1(cx: t1::Context) {
        let (mut a1, mut a2) = (cx.shared.a1, cx.shared.a2);
        mark::<1>();
        a1.lock(|_| mark::<2>());
        mark::<3>();
        a1.lock(|_| mark::<4>());
        mark::<5>();
        (&mut a1, &mut a2).lock(|_, _| mark::<6>());
        mark::<7>();
        critical_section::with(|_| mark::<10>());
        mark::<11>();
    }

    #[task(priority = 2, shared = [a1, a2])]
    async fn t2(cx: t2::Context) {
        let (mut a1, mut a2) = (cx.shared.a1, cx.shared.a2);
        (&mut a1, &mut a2).lock(|a1, a2| *a1 += *a2);
    }
}
