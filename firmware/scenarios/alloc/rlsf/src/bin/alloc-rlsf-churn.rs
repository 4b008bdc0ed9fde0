//! The operations of rlsf's `Tlsf`, in a long mix.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::churn::run(&mut alloc_rlsf::Rlsf::ready())
}
