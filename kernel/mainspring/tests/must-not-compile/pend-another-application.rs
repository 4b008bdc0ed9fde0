//! Only tasks of this application can be asked for.

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

mod other {
    use mainspring::*;

    app! {
        pub struct Other;
        device = Chip;
        resources {
            Volume: u32 = 0;
        }
        tasks {
            Loud = Loud, on EXTI1, priority 1;
        }
    }
    use super::Chip;
    pub struct Loud;
    impl Run for Loud {
        fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
    }
    impl Main for Other {
        fn init(_: Init<Self>) {}
    }
}

app! {
    struct Demo;
    device = Chip;
    resources {
        Speed: u32 = 0;
    }
    tasks {
        Low = Low, on TIM2, priority 1, uses Write<Speed>;
    }
}

struct Low;
impl Run for Low {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        cx.pend::<other::Loud>();
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
