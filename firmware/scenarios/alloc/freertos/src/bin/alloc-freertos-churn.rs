//! The operations of FreeRTOS' heap_4, in a long mix.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::churn::run(&mut alloc_freertos::FreeRtos)
}
