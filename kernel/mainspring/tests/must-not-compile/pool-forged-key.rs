//! Two pools whose types are subtypes of one another: the key to one is none to the other, which has its own.

#![allow(coherence_leak_check)] // What the test is about.

use mainspring::pool::*;

use core::marker::PhantomData;

struct Heap<B>(PhantomData<fn() -> B>);
type Low = Heap<for<'a> fn(&'a ())>;
type High = Heap<fn(&'static ())>;

static LOW: Store<Low, 64, 1, Exclusive> = Store::new();
impl Pool for Low {
    const NAME: &'static str = "Low";
    const CLASSES: &'static [Class] = &[Class::of(16)];
    type Store = Store<Low, 64, 1, Exclusive>;
    const STORE: &'static Self::Store = &LOW;
}

static HIGH: Store<High, 64, 1, Exclusive> = Store::new();
impl Pool for High {
    const NAME: &'static str = "High";
    const CLASSES: &'static [Class] = &[Class::of(16)];
    type Store = Store<High, 64, 1, Exclusive>;
    const STORE: &'static Self::Store = &HIGH;
}


fn key(low: Key<Low>) -> Key<High> {
    low
}

fn back(high: Key<High>) -> Key<Low> {
    high
}

fn main() {}
