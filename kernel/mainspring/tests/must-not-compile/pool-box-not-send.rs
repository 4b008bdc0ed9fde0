//! A box is `Send` only if its value is.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn send(_: impl Send) {}

fn main() {
    if let Ok(boxed) = Box::<*const u8, Heap>::new(core::ptr::null()) {
        send(boxed);
    }
}
