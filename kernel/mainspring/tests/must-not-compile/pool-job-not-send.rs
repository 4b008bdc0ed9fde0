//! A job may be called anywhere, so what it holds must be `Send`.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn main() {
    let pointer = core::ptr::null::<u8>();
    let _ = Job::<Heap>::new(move |()| {
        let _ = &pointer;
    });
}
