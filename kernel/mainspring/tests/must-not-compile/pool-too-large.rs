//! No class holds this value.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn main() {
    let _ = Box::<[u8; 17], Heap>::new([0; 17]);
}
