//! What names handles gets them for one run, as the task does.

use mainspring::*;

struct Chip;
enum Interrupt {
    TIM2 = 28,
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
        Low = Low, on TIM2, priority 1, uses Fields<Kept, (Write<Speed>,)>;
    }
}

struct Kept;
impl Naming<Demo, (Write<Speed>,)> for Kept {
    type Named<'run> = Option<Handle<'static, Write<Speed>>>;
    fn named((speed,): <(Write<Speed>,) as Uses<Demo>>::Handles<'_>) -> Self::Named<'_> {
        Some(speed)
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
