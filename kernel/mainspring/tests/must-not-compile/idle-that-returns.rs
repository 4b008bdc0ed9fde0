//! The idle loop never returns.

use mainspring::*;

mod device {
    pub const NVIC_PRIO_BITS: u8 = 4;
    pub enum Interrupt {
        TIM2 = 28,
        EXTI0 = 6,
        EXTI1 = 7,
    }
}

app! {
    struct Demo;
    device = device;
    resources {
        Speed: u32 = 0;
    }
    tasks {
        Low = Low, on TIM2, priority 1, uses Write<Speed>;
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) {}
}

fn main() {}
