// A thread whose frame is larger than its stack: it writes below the stack, and not where that ends. Included after the table, whose threads
// are `Deep`, with a stack of 512 bytes, and `Base`, whose stack the linker puts below: what is overwritten is not the kernel's own.

/// Is in no hurry to return.
struct Deep;
impl Thread for Deep {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
        let mut frame = MaybeUninit::<[u8; 570]>::uninit();
        let lowest = black_box(frame.as_mut_ptr()).cast::<u8>();
        for round in 0..100_000_u32 {
            // SAFETY: the first byte of the array.
            unsafe { lowest.write_volatile(round as u8) };
        }
        exit()
    }
}

struct Base;
impl Thread for Base {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}
}
