//! A store of objects names its owner: two pools cannot share it.

use mainspring::pool::*;

mainspring::object_pool!(Numbers: u32, 2, 0);

struct Other;

impl ObjectPool for Other {
    type Data = u32;
    type Store = <Numbers as ObjectPool>::Store;
    const STORE: &'static Self::Store = Numbers::STORE;
}

fn main() {}
