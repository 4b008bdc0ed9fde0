//! A stack is that of the thread that it is made for, whoever owns another thread.

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
        Low = Low, on TIM2, priority 1;
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

use mainspring::threads::{Stack, Stacked};

struct Mine;
struct Other;
impl Stacked<Mine> for Stack<Other, 256> {
    fn memory(&self) -> (*mut u64, usize) {
        (core::ptr::null_mut(), 0)
    }
}

fn main() {}
