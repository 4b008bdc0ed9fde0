//! Two pools whose types are subtypes of one another: an object of the one is none of the other.

#![allow(coherence_leak_check)] // What the test is about.

use mainspring::pool::*;

type Long = fn(&'static ());
type Short = for<'a> fn(&'a ());

struct Of<T>(T);

macro_rules! pool {
    ($place:ident $of:ty) => {
        static $place: Objects<$of, u32, 1> = Objects::new([Kept::new(0)]);
        impl ObjectPool for $of {
            type Data = u32;
            type Store = Objects<$of, u32, 1>;
            const STORE: &'static Self::Store = &$place;
        }
    };
}
pool!(ONE Of<Long>);
pool!(TWO Of<Short>);

fn become_the_other(object: Object<Of<Short>>) -> Object<Of<Long>> {
    object
}

fn main() {}
