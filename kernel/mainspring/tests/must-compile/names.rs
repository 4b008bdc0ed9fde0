//! A name is that of the type, whatever macros the program has.

use mainspring::*;

#[allow(unused_macros)]
macro_rules! stringify {
    ($name:ident) => {
        "the same"
    };
}

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
pool! {
    struct Heap;
    bytes = 64;
    classes = [16];
}

struct Low;
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {
    assert_eq!((Demo::NAME, Speed::NAME, Low::NAME), ("Demo", "Speed", "Low"));
    assert_eq!(<Heap as pool::Pool>::NAME, "Heap");
}
