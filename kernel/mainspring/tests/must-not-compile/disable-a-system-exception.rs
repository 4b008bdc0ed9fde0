//! SysTick has no enable bit.

use mainspring::*;

struct Chip;
enum Interrupt {
    TIM2 = 28,
    EXTI0 = 6,
    EXTI1 = 7,
}
// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

app! {
    struct Demo;
    device = Chip;
    resources {
        Speed: u32 = 0;
    }
    tasks {
        Low = Low, on SysTick, priority 1, uses Write<Speed>;
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        cx.disable::<Low>();
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {
    host::run::<Demo, _>(|_, _| ());
}
