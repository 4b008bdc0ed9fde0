//! The operations of embedded-alloc's `LlffHeap`, one by one.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::single::run(&mut alloc_embedded_alloc::Llff::ready())
}
