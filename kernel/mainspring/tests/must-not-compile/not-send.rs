//! Data that tasks share goes from one to the other: it must be `Send`.

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
        Speed: *mut u32 = core::ptr::null_mut();
    }
    tasks {
        Low = Low, on TIM2, priority 1, uses Write<Speed>;
        High = High, on EXTI0, priority 3, uses Write<Speed>;
    }
}

struct Low;
struct High;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Run for High {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
