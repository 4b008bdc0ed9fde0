//! The operations of Mainspring's pool, one by one, where the first blocks were prepared.

#![no_std]
#![no_main]

use alloc_mainspring::{Heap, Shared};
use mainspring::pool::prepare;

#[cortex_m_rt::entry]
fn main() -> ! {
    if prepare::<u8, Heap>(1) + prepare::<u32, Heap>(1) + prepare::<u64, Heap>(1) < 3 {
        common::fail()
    }
    common::single::run(&mut Shared)
}
