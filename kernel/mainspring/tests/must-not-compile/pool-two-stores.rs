//! A store's type names its owner: two pools cannot share it.

use mainspring::pool::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [8, 16];
}

struct Other;

impl Pool for Other {
    const NAME: &'static str = "Other";
    const CLASSES: &'static [Class] = &[Class::of(8)];
    type Store = <Heap as Pool>::Store;
    const STORE: &'static Self::Store = Heap::STORE;
}

fn main() {}
