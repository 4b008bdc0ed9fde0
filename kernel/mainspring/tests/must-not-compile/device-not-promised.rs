//! What is said of the chip, nothing can check: whoever says it takes the blame.

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

struct Other;
impl Device for Other {
    const PRIORITY_BITS: u8 = 7;
    type Interrupt = Interrupt;
}

fn main() {}
