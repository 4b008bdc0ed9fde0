//! The memory of an exclusive pool is handed out by its key.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8];
    sharing = Exclusive;
}

fn main() {
    let _ = Box::<u8, Heap>::new(0);
}
