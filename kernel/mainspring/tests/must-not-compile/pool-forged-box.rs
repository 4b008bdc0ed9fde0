//! Two pools whose types are subtypes of one another: a block goes back to its own.

#![allow(coherence_leak_check)] // What the test is about.

use mainspring::pool::*;

use core::marker::PhantomData;

struct Heap<B>(PhantomData<fn() -> B>);
type Low = Heap<for<'a> fn(&'a ())>;
type High = Heap<fn(&'static ())>;

static LOW: Store<Low, 64, 1> = Store::new();
impl Pool for Low {
    const NAME: &'static str = "Low";
    const CLASSES: &'static [Class] = &[Class::of(16)];
    type Store = Store<Low, 64, 1>;
    const STORE: &'static Self::Store = &LOW;
}

static HIGH: Store<High, 64, 1> = Store::new();
impl Pool for High {
    const NAME: &'static str = "High";
    const CLASSES: &'static [Class] = &[Class::of(16)];
    type Store = Store<High, 64, 1>;
    const STORE: &'static Self::Store = &HIGH;
}


fn box_of(low: Box<u64, Low>) -> Box<u64, High> {
    low
}

fn back(high: Box<u64, High>) -> Box<u64, Low> {
    high
}

fn dynamic(low: Dyn<[u8], Low>) -> Dyn<[u8], High> {
    low
}

fn dynamic_back(high: Dyn<[u8], High>) -> Dyn<[u8], Low> {
    high
}

fn job(low: Job<Low>) -> Job<High> {
    low
}

fn job_back(high: Job<High>) -> Job<Low> {
    high
}

fn global(low: Global<Low>) -> Global<High> {
    low
}

fn global_back(high: Global<High>) -> Global<Low> {
    high
}

fn main() {}
