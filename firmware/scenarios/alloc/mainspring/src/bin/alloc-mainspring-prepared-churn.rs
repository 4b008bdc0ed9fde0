//! The operations of Mainspring's pool, in a long mix, where all blocks were prepared.

#![no_std]
#![no_main]

use alloc_mainspring::{Heap, Shared};
use common::Block;
use mainspring::pool::prepare;

#[cortex_m_rt::entry]
fn main() -> ! {
    // As much as the mix needs, and all that there is.
    let mut left = common::MEMORY;
    macro_rules! blocks {
        ($($words:literal)*) => {$(
            left -= prepare::<Block<$words>, Heap>(10) * size_of::<Block<$words>>();
        )*};
    }
    blocks!(0 1 2 3 5 7 11 15);
    let more = left / size_of::<Block<0>>();
    if prepare::<Block<0>, Heap>(more) < more {
        common::fail()
    }
    common::churn::run(&mut Shared)
}
