//! Two pools whose types are subtypes of one another: neither can have the memory of the other.

#![allow(coherence_leak_check)] // What the test is about.

use mainspring::pool::*;

use core::marker::PhantomData;

struct Heap<B>(PhantomData<fn() -> B>);
type Low = Heap<for<'a> fn(&'a ())>;
type High = Heap<fn(&'static ())>;

static LOW: Store<Low, 64, 1> = Store::new();
static HIGH: Store<High, 64, 1> = Store::new();

impl Pool for Low {
    const NAME: &'static str = "Low";
    const CLASSES: &'static [Class] = &[Class::of(16)];
    type Store = Store<Low, 64, 1>;
    const STORE: &'static Self::Store = &HIGH;
}
impl Pool for High {
    const NAME: &'static str = "High";
    const CLASSES: &'static [Class] = &[Class::of(8)];
    type Store = Store<High, 64, 1>;
    const STORE: &'static Self::Store = &LOW;
}

fn main() {}
