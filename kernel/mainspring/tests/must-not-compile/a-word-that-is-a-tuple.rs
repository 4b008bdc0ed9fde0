//! A word of the table is `Write`, `Read` or `Post`: what a tuple of one uses would be as the program says, and the ceilings would not count it.

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
        Low = Low, on TIM2, priority 1, uses (Write<Speed>,);
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

impl Use<Demo> for (Write<Speed>,) {
    const ROW: mainspring_core::Use = mainspring_core::Use {
        name: "nothing",
        access: mainspring_core::Access::Read,
        late: false,
        declared: None,
    };
}

fn main() {}
