//! The operations of Mainspring's pool, one by one, with addresses from the literal pool.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::single::run(&mut alloc_mainspring::Shared)
}
