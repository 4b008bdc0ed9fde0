//! The same as a table with one task and one resource, without the macro.

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

struct Demo;
// SAFETY: `Demo`, `Speed` and `Low` are three names.
unsafe impl Named for Demo {
    const NAME: &'static str = "Demo";
}
// SAFETY: `Low` is the only task.
unsafe impl App for Demo {
    type Device = Chip;
    type Tasks = (Low,);
    type Late = ();
    type IdleUses = Read<Speed>;
    type Threads = ();
    const KERNEL: &'static threads::Kernel = {
        static KERNEL: threads::Kernel<[threads::Slot; 1]> = threads::Kernel::new::<Demo>();
        &KERNEL
    };
    const IDLE_STACK: &'static dyn threads::Stacked<Idle<Self>> = {
        static STACK: threads::Stack<Idle<Demo>, 128> = threads::Stack::new();
        &STACK
    };
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}
const _: () = check::<Demo>();

struct Speed;
// SAFETY: `Demo`, `Speed` and `Low` are three names.
unsafe impl Named for Speed {
    const NAME: &'static str = "Speed";
}
// SAFETY: the static has no other name.
unsafe impl Stored for Speed {
    type Data = u32;
    type Place = Fixed<Self, u32>;
    const PLACE: &'static Self::Place = {
        static PLACE: Fixed<Speed, u32> = Fixed::new(0);
        &PLACE
    };
}
// SAFETY: `Speed` is no task.
unsafe impl Resource for Speed {
    type App = Demo;
}

struct Low;
// SAFETY: `Demo`, `Speed` and `Low` are three names.
unsafe impl Named for Low {
    const NAME: &'static str = "Low";
}
// SAFETY: the static has no other name.
unsafe impl Stored for Low {
    type Data = Low;
    type Place = Fixed<Self, Low>;
    const PLACE: &'static Self::Place = {
        static PLACE: Fixed<Low, Low> = Fixed::new(Low);
        &PLACE
    };
}
// SAFETY: nothing runs as `Low` but its vector.
unsafe impl Actor for Low {
    type App = Demo;
    const PRIORITY: u8 = 1;
    type Uses = Write<Speed>;
}
// SAFETY: the vector would be `TIM2`, and `Low` is no resource.
unsafe impl Task for Low {
    const VECTOR: Vector = Vector::Interrupt(Interrupt::TIM2 as u16);
    type Trigger = Event;
}
impl Run for Low {
    fn run(&mut self, cx: Context<Self>, mut speed: Handles<Self>) {
        *cx.get(&mut speed) += 1;
    }
}

fn main() {}
