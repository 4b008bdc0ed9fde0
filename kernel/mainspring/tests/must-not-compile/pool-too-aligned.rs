//! Large enough is not aligned enough.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

#[repr(align(16))]
struct Aligned(#[allow(dead_code)] u8);

fn main() {
    let _ = Box::<Aligned, Heap>::new(Aligned(0));
}
