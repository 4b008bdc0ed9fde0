//! Who runs next, and on which stack, is the kernel's to say: its state can be seen from anywhere, and changed from nowhere.

use mainspring::threads::Thread;
use mainspring::*;

struct Chip;
// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = ();
}

app! {
    struct Demo;
    device = Chip;
    tasks {}
    threads {
        Only = Only, priority 1, stack 512;
    }
}

struct Only;
impl Thread for Only {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        Demo::KERNEL.running.set(77);
        Demo::KERNEL.suspend(0);
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {}
