//! An inbox holds a power of two.

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
        Low = Low, on TIM2, priority 1, uses Post<High>;
        High = High, on EXTI0, priority 3, uses Write<Speed>, inbox [u32; 3];
    }
}

struct Low;
struct High;
impl Run for Low {
    fn run(&mut self, cx: Context<Self>, mut high: Handles<Self>) {
        let _ = cx.post(&mut high, 1);
    }
}
impl Receive for High {
    fn receive(&mut self, _: u32, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(mut cx: Init<Self>) {
        let _ = cx.post::<High>(1);
    }
}

fn main() {
    host::run::<Demo, _>(|_, _| ());
}
