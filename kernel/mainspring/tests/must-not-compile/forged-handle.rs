//! Two tasks whose types are subtypes of one another: a handle for the inbox of one is none for the other's.

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
    tasks {
        Low = Task(core::marker::PhantomData), on TIM2, priority 1, inbox [u8; 4];
        High = Task(core::marker::PhantomData), on EXTI0, priority 2, inbox [u8; 4];
        Sender = Sender, on EXTI1, priority 1, uses Post<Low>;
    }
}

struct Task<B>(core::marker::PhantomData<fn() -> B>);
type Low = Task<for<'a> fn(&'a ())>;
type High = Task<fn(&'static ())>;
struct Sender;

impl Receive for Low {
    fn receive(&mut self, _: u8, _: Context<Self>, _: Handles<Self>) {}
}
impl Receive for High {
    fn receive(&mut self, _: u8, _: Context<Self>, _: Handles<Self>) {}
}
impl Run for Sender {
    fn run(&mut self, cx: Context<Self>, low: Handles<Self>) {
        let mut high: Handle<Post<High>> = low;
        let _ = cx.post(&mut high, 1);
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
