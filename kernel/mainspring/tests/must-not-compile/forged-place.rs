//! Two resources whose types are subtypes of one another: neither can have the place or the inbox of the other.

use mainspring::*;

use core::marker::PhantomData;

struct Data<B>(PhantomData<fn() -> B>);
type Low = Data<for<'a> fn(&'a ())>;
type High = Data<fn(&'static ())>;

fn fixed(low: &'static Fixed<Low, u32>) -> &'static Fixed<High, u32> {
    low
}

fn fixed_back(high: &'static Fixed<High, u32>) -> &'static Fixed<Low, u32> {
    high
}

fn late(low: &'static Late<Low, u32>) -> &'static Late<High, u32> {
    low
}

fn late_back(high: &'static Late<High, u32>) -> &'static Late<Low, u32> {
    high
}

fn inbox(low: &'static Inbox<Low, u32, 4>) -> &'static Inbox<High, u32, 4> {
    low
}

fn inbox_back(high: &'static Inbox<High, u32, 4>) -> &'static Inbox<Low, u32, 4> {
    high
}

fn main() {}
