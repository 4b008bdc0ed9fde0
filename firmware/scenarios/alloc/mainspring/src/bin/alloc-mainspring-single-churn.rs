//! The operations of Mainspring's pool of one task, in a long mix.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::churn::run(&mut alloc_mainspring::Single::ready())
}
