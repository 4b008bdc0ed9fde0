// The pool's key as a resource, which two tasks share: `Low`, which is measured, and the more urgent `High`.

use common::{Allocator, Kernel, MEMORY, fail};
use mainspring::pool::{Box, Key, Pool};
use mainspring::{Context, Handle, Handles, Idle, Init, Initials, Main, Run, Write};

use alloc_mainspring::{Own, place};

/// The interrupt that all boards have.
struct Chip;

enum Interrupt {
    IRQ0 = 0,
    IRQ1 = 1,
}

// SAFETY: every core has two priority bits, and every board the two interrupts, by these names in the vector table of
// `rt`; one core; nothing else here writes BASEPRI.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 2;
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}

mainspring::app! {
    struct Ceiling;
    device = Chip;
    resources {
        Memory: Key<Own>;
    }
    tasks {
        Low = Low, on IRQ0, priority 1, uses Write<Memory>;
        High = High, on IRQ1, priority 2, uses Write<Memory>;
    }
}

struct Low;
struct High;

struct Locked<'run> {
    cx: Context<'run, Low>,
    memory: Handle<'run, Write<Memory>>,
}

impl Run for Low {
    fn run(&mut self, cx: Context<Self>, memory: Handles<Self>) {
        measure(&mut Locked { cx, memory });
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut memory: Handles<Self>) {
        drop(cx.get(&mut memory).make(0_u32));
    }
}

impl Main for Ceiling {
    fn init(mut cx: Init<Self>) -> Initials<Self> {
        cx.pend::<Low>();
        Initials::<Self> {
            Memory: Key::claim().unwrap_or_else(|| fail()),
        }
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        fail()
    }
}

impl<T> Kernel<T> for Locked<'_> {
    #[inline(always)]
    fn take(&mut self, value: T) -> *mut T {
        place(self.cx.lock(&mut self.memory, |memory, _| memory.make(value)))
    }

    #[inline(always)]
    unsafe fn give(&mut self, place: *mut T) {
        // SAFETY: the caller's promise.
        let boxed = unsafe { Box::from_raw(place) };
        self.cx.lock(&mut self.memory, |memory, _| memory.free(boxed));
    }
}

impl Allocator for Locked<'_> {
    fn bookkeeping(&self) -> usize {
        size_of_val(Own::STORE) - MEMORY
    }
}
