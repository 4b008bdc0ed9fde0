// The threads of `threads-mainspring-equals`, and its task: the same text on every core. Pairs of equals, one pair after the
// other. Included after the table.

/// Threads each of which asks for the interrupt that ends its turn.
macro_rules! interrupted {
    ($($thread:ident $before:literal $after:literal)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
                for _ in turns(4) {
                    request::<$before>(1);
                    mark::<$after>();
                }
            }
        }
    )*};
}

interrupted!(Interrupted 40 41 InterruptedToo 42 43 Preempted 20 31);

/// The equal of `Preempted`.
struct Yields;
impl Thread for Yields {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        for _ in turns(4) {
            mark::<30>();
            cx.yield_now();
            mark::<21>();
        }
    }
}

/// The value is in a register here, and the compiler knows nothing of it.
#[inline(always)]
fn used(value: &mut u32) {
    // SAFETY: no instruction.
    unsafe { core::arch::asm!("/* {} */", inout(reg) *value, options(nomem, nostack, preserves_flags)) };
}

/// Threads that yield while that many values are in registers.
macro_rules! yields_with {
    ($($thread:ident $before:literal $after:literal [$($value:ident)*] $last:ident;)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
                $(let mut $value = 0_u32;)*
                for _ in turns(4) {
                    mark::<$before>();
                    $(used(&mut $value);)*
                    cx.yield_now();
                    $(used(&mut $value);)*
                    mark::<$after>();
                }
                if $last {
                    exit()
                }
            }
        }
    )*};
}

yields_with! {
    Six 60 62 [a b c d e f] false;
    SixToo 61 63 [a b c d e f] false;
    Eight 80 82 [a b c d e f g h] true;
    EightToo 81 83 [a b c d e f g h] true;
}

struct Ends;
impl Run for Ends {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        lower();
        cx.end_turn();
    }
}
