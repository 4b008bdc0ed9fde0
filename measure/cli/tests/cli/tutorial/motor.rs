#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use cortex_m_semihosting::debug;
use panic_semihosting as _;

const FLASH_ACR: *mut u32 = 0x4002_3c00 as *mut u32;
const WAIT_STATES: u32 = 2;

static TICKS: AtomicU32 = AtomicU32::new(0);
static SAMPLES: [u32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];

#[inline(always)]
fn gain(sample: u32) -> u32 {
    sample.rotate_left(3) ^ 0x55
}

#[inline(never)]
fn scale(sum: u32) -> u32 {
    black_box(sum) / 3
}

#[inline(never)]
#[unsafe(no_mangle)]
fn work(samples: &[u32]) -> u32 {
    let mut sum = 0u32;
    for &sample in samples {
        sum = sum.wrapping_add(gain(sample));
    }
    scale(sum)
}

#[exception]
fn SysTick() {
    let ticks = TICKS.load(Relaxed).wrapping_add(1);
    TICKS.store(ticks, Relaxed);
}

#[entry]
fn main() -> ! {
    // SAFETY: the register of the flash: caches, prefetch, wait states.
    unsafe { FLASH_ACR.write_volatile(0x700 | WAIT_STATES) };
    let mut timer = cortex_m::Peripherals::take().unwrap().SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(4000);
    timer.clear_current();
    timer.enable_counter();
    timer.enable_interrupt();
    while TICKS.load(Relaxed) < 80 {
        black_box(work(black_box(&SAMPLES)));
        cortex_m::asm::wfi();
    }
    loop {
        debug::exit(debug::EXIT_SUCCESS);
    }
}
