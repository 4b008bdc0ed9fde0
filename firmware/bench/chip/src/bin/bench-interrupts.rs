//! An interrupt every 2,500 cycles, 10,000 a second at 25 MHz, over a loop that computes.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};

/// Cycles from one to the next.
const PERIOD: u32 = 2500;
/// How many there are.
const TICKS: u32 = 200;

static TICKED: AtomicU32 = AtomicU32::new(0);

#[entry]
fn main() -> ! {
    let Some(mut chip) = cortex_m::Peripherals::take() else {
        rt::fail()
    };
    chip.SYST.set_clock_source(SystClkSource::Core);
    chip.SYST.set_reload(PERIOD - 1);
    chip.SYST.clear_current();
    chip.SYST.enable_interrupt();
    chip.SYST.enable_counter();
    let mut state = 1u32;
    while TICKED.load(Ordering::Relaxed) < TICKS {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
    // The generator never comes to 0.
    if state == 0 { rt::fail() } else { rt::exit() }
}

#[exception]
fn SysTick() {
    TICKED.store(TICKED.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
