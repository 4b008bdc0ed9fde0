//! A task's state is lent to its activation: as a resource it would be lent twice.

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
    tasks {
        Low = Low(1), on TIM2, priority 1, uses Write<Low>;
    }
}

struct Low(u32);
impl Resource for Low {
    type App = Demo;
}
impl Run for Low {
    fn run(&mut self, cx: Context<Self>, mut me: Handles<Self>) {
        core::mem::swap(self, cx.get(&mut me));
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
