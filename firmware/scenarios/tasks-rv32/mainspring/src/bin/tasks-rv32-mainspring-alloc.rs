//! Blocks of a pool that everybody shares, which is changed with interrupts held back, and of one that has a key: from memory that
//! nobody has used, from the list, and back to it.

#![no_std]
#![no_main]

use mainspring::pool::{Box, Key};
use mainspring::{Context, Handles, Idle, Init, Initials, Main, Run};
use tasks_rv32_mainspring::{Chip, exit, fail, input, mark, output, times};

mainspring::pool! {
    /// For everybody.
    struct Heap;
    bytes = 2048;
    classes = [4, 8, 12, 16, 24, 32, 48, 64];
}

mainspring::pool! {
    /// For whoever has the key.
    struct Own;
    bytes = 2048;
    classes = [4, 8, 12, 16, 24, 32, 48, 64];
    sharing = Exclusive;
}

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1, on A, priority 1;
    }
}

struct T1(Key<Own>);

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        shared();
        single(&mut self.0);
    }
}

#[inline(never)]
fn shared() {
    let value = input();
    mark::<1>();
    let first = Box::<u32, Heap>::new(value);
    mark::<2>();
    let Ok(first) = first else { fail() };
    // The list of these stays empty.
    output(*Box::leak(first));
    let Ok(boxed) = Box::<_, Heap>::new([value; 2]) else {
        fail()
    };
    mark::<3>();
    drop(boxed);
    mark::<4>();
    let again = Box::<_, Heap>::new([value; 2]);
    mark::<5>();
    let Ok(again) = again else { fail() };
    output(again[0]);
}

#[inline(never)]
fn single(key: &mut Key<Own>) {
    let value = input();
    mark::<11>();
    let first = key.make(value);
    mark::<12>();
    let Ok(first) = first else { fail() };
    output(*Box::leak(first));
    let Ok(boxed) = key.make([value; 2]) else { fail() };
    mark::<13>();
    key.free(boxed);
    mark::<14>();
    let again = key.make([value; 2]);
    mark::<15>();
    let Ok(again) = again else { fail() };
    output(again[0]);
    key.free(again);
}

impl Main for Scenario {
    fn init(_: Init<Self>) -> Initials<Self> {
        match Key::claim() {
            Some(key) => Initials::<Self> { T1: T1(key) },
            None => fail(),
        }
    }

    fn idle(cx: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        for _ in times() {
            cx.pend::<T1>();
        }
        exit()
    }
}
