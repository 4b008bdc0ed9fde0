//! Boxes are counted by the pool, and by nobody else.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 64;
    classes = [16];
    statistics = On;
}

fn main() {
    Heap::STORE.statistics().gave(0);
    Heap::STORE.statistics().took(0, 16, true);
}
