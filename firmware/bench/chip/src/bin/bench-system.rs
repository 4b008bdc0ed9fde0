//! System registers: critical sections by a mask, and by the enable bits of an interrupt, as drivers have them.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m::interrupt;
use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use rt::Irq;

const ROUNDS: u32 = 2000;

#[entry]
fn main() -> ! {
    let mut sum = 0u32;
    for round in 0..black_box(ROUNDS) {
        interrupt::free(|_| sum = black_box(sum).wrapping_add(round));
        NVIC::mask(Irq(3));
        sum = black_box(sum).rotate_left(1);
        // SAFETY: nothing pends it, and no critical section here relies on its being masked.
        unsafe { NVIC::unmask(Irq(3)) };
    }
    if sum == 0 { rt::fail() } else { rt::exit() }
}
