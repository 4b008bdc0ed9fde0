//! The mark of a pool that is handed out by its key is read by the key as well.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 64;
    classes = [16];
    sharing = Exclusive;
}

fn main() {
    high_water::<Heap>();
}
