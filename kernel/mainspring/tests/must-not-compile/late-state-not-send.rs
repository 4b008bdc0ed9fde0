//! State that `init` hands over goes from `init` to the task: it must be `Send`.

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
        Low, on TIM2, priority 1, uses Write<Speed>;
    }
}

struct Low(*mut u32);
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) -> Initials<Self> {
        Initials::<Self> {
            Low: Low(core::ptr::null_mut()),
        }
    }
}

fn main() {}
