//! The pool is part of the type: a block goes back to where it came from.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

mainspring::pool! {
    struct Other;
    bytes = 256;
    classes = [8];
}

fn main() {
    let _: Result<Box<u8, Other>, _> = Box::<u8, Heap>::new(0);
}
