//! On the host each test has its own thread, and the state of the tasks goes from one to the next.

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
    tasks {
        Low = Low(None), on TIM2, priority 1;
    }
}

struct Low(Option<std::rc::Rc<u32>>);
impl Run for Low {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {
    host::run::<Demo, _>(|_, _| ());
}
