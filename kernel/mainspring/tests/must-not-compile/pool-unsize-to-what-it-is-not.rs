//! A value can be seen as a trait's only if it has the trait.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn main() {
    if let Ok(boxed) = Box::<[u8; 4], Heap>::new([0; 4]) {
        let _ = mainspring::unsize!(boxed => dyn core::fmt::Display);
    }
}
