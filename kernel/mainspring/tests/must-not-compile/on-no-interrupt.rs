//! Only a variant of the chip's own enumeration names an interrupt: this would define the function `memcpy`.

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

trait Named {
    #[allow(non_upper_case_globals)]
    const memcpy: Interrupt;
}
impl Named for Interrupt {
    const memcpy: Interrupt = Interrupt::EXTI0;
}

app! {
    struct Demo;
    device = Chip;
    tasks {
        Low = Low, on memcpy, priority 1;
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
