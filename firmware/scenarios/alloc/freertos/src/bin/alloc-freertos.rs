//! The operations of FreeRTOS' heap_4, one by one.

#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    common::single::run(&mut alloc_freertos::FreeRtos)
}
