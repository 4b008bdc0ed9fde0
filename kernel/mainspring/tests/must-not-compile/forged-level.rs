//! Two tasks whose types are subtypes of one another: a context of one is none of the other.

#![allow(coherence_leak_check)] // What the test is about.

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
        Low = Task(core::marker::PhantomData), on TIM2, priority 1, uses Write<Speed>;
        High = Task(core::marker::PhantomData), on EXTI0, priority 2, uses Write<Speed>;
    }
}

struct Task<B>(core::marker::PhantomData<fn() -> B>);
type Low = Task<for<'a> fn(&'a ())>;
type High = Task<fn(&'static ())>;

impl Run for Low {
    fn run(&mut self, cx: Context<Self>, mut speed: Handles<Self>) {
        let cx: Context<High> = cx;
        *cx.get(&mut speed) += 1;
    }
}
impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut speed: Handles<Self>) {
        *cx.get(&mut speed) += 1;
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
