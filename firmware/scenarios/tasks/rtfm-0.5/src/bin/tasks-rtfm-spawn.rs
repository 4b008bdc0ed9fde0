//! `t1` hands a message to the more urgent `t2`, which starts with it.

#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use tasks_rtfm::{exit, input, mark, output};

#[rtfm::app(device = lm3s6965)]
const APP: () = {
    #[init]
    fn init(_: init::Context) {
        rtfm::pend(Interrupt::GPIOA);
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        exit()
    }

    #[task(binds = GPIOA, priority = 1, spawn = [t2])]
    fn t1(cx: t1::Context) {
        let message = input();
        mark();
        let _ = cx.spawn.t2(message);
    }

    #[task(priority = 2)]
    fn t2(_: t2::Context, message: u32) {
        mark();
        output(message);
    }

    extern "C" {
        fn UART1();
    }
};
