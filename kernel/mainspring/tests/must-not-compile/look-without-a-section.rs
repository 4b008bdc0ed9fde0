//! Who counts messages or flags while somebody is changing them would race: it takes a context, and a section.

use mainspring::threads::{Flags, Queue, Thread};
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

static MESSAGES: Queue<Demo, u32, 4> = Queue::new();
static FLAGS: Flags<Demo> = Flags::new();

struct Only;
impl Thread for Only {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
}
impl Main for Demo {
    fn init(_: Init<Self>) {}
}

fn main() {
    let _ = (MESSAGES.len(), MESSAGES.is_empty(), FLAGS.get());
}
