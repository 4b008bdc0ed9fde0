//! A task has handles for what the table says, no more.

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
        Gain: u32 = 1;
    }
    tasks {
        Low = Low, on TIM2, priority 1, uses (Write<Speed>, Write<Gain>);
        High = High, on EXTI0, priority 2, uses (Write<Speed>, Read<Gain>);
    }
}

struct Low;
struct High;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, shared: Handles<Self>) {
        let (_, _, port) = shared;
    }
}

impl Run for High {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
