//! Classes go up.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [16, 8];
}

fn main() {
    let _ = Box::<u8, Heap>::new(0);
}
