//! The operations of Mainspring's pool of one task, one by one.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::single::run(&mut alloc_mainspring::Single::ready())
}
