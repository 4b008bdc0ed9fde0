//! A task that needs twice as much of the stack as there is. With the stack above the statics, as linker scripts mostly have it, this would
//! overwrite them, and end well; `memory.x` has it below them, where the first access that leaves it faults.

#![no_std]
#![no_main]

use core::hint::black_box;

use mainspring::{Context, Handles, Idle, Init, Main, Run};
use rt::exit;

struct Chip;

enum Interrupt {
    IRQ0 = 0,
}

// SAFETY: `rt` has this vector at this number; every core has two priority bits.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 2;
    type Interrupt = Interrupt;
}

mainspring::app! {
    struct Demo;
    device = Chip;
    tasks {
        Deep = Deep, on IRQ0, priority 1;
    }
}

struct Deep;
impl Run for Deep {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        black_box(deeper(black_box(2048 / 16)));
    }
}

/// Uses 16 bytes of the stack at the least, and so often.
#[inline(never)]
fn deeper(depth: u32) -> u32 {
    if depth == 0 {
        return 0;
    }
    let words = black_box([depth; 2]);
    black_box(deeper(depth - 1)).wrapping_add(words[1])
}

impl Main for Demo {
    fn init(_: Init<Self>) {}

    fn idle(cx: Context<Idle<Self>>, (): Handles<Idle<Self>>) -> ! {
        cx.pend::<Deep>();
        exit()
    }
}
