//! The operations of embedded-alloc's `TlsfHeap`, in a long mix.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::churn::run(&mut alloc_embedded_alloc::Tlsf::ready())
}
