//! Who gave the box away has no value any more.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn main() {
    if let Ok(boxed) = Box::<u8, Heap>::new(0) {
        let value = &*boxed;
        drop(boxed);
        assert_eq!(*value, 0);
    }
}
