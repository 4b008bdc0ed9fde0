//! The operations of talc, one by one.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::single::run(&mut alloc_talc::Talc::ready())
}
