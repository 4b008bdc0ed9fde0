//! The operations of heapless' box pool, in a long mix.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::churn::run(&mut alloc_heapless::Heapless::ready())
}
