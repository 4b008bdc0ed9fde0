//! What is kept for good must not borrow anything.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

fn main() {
    let local = 5_u8;
    if let Ok(boxed) = Box::<&u8, Heap>::new(&local) {
        let _: &'static mut &u8 = Box::leak(boxed);
    }
}
