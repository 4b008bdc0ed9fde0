//! Nobody makes a context, an `Init`, or handles, and nobody reaches data without them.

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

fn main() {
    let _: Context<Low> = Context::new();
    let _: Init<Demo> = Init::new();
    let _ = <() as Uses<Demo>>::handles(());
}
