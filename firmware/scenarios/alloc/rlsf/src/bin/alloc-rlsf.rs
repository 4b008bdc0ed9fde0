//! The operations of rlsf's `Tlsf`, one by one.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::single::run(&mut alloc_rlsf::Rlsf::ready())
}
