//! A class that the pool could never give a block of.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [16, 512];
}

fn main() {
    let _ = Box::<u8, Heap>::new(0);
}
