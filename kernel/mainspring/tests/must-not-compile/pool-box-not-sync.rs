//! A box is `Sync` only if its value is.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn sync(_: &impl Sync) {}

fn main() {
    if let Ok(boxed) = Box::<core::cell::Cell<u8>, Heap>::new(core::cell::Cell::new(0)) {
        sync(&boxed);
    }
}
