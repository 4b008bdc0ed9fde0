//! Tests that need a chip: its interrupts, its time, its faults.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::exception;

static TICKS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    TICKS.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    use core::sync::atomic::Ordering;

    use cortex_m::Peripherals;
    use cortex_m::peripheral::{SYST, syst::SystClkSource};
    use tested::{Debounced, STEADY};

    use super::TICKS;

    /// Cycles from one to the next.
    const TICK: u32 = 10_000;

    /// Starts the ticks, before each test.
    #[init]
    fn init() -> SYST {
        let mut timer = Peripherals::take().unwrap().SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(TICK - 1);
        timer.clear_current();
        timer.enable_interrupt();
        timer.enable_counter();
        timer
    }

    /// Each test is a run of its own from reset, so that the ticks of none are another's.
    #[test]
    fn a_switch_is_on_after_four_readings() {
        let mut switch = Debounced::default();
        let mut seen = 0;
        while !switch.read(true) {
            while TICKS.load(Ordering::Relaxed) == seen {
                cortex_m::asm::wfi();
            }
            seen += 1;
        }
        assert_eq!(seen, u32::from(STEADY) - 1);
    }

    #[test]
    fn a_wait_is_at_least_as_long_as_it_says(timer: SYST) -> Result<(), &'static str> {
        drop(timer);
        cortex_m::asm::wfi();
        let before = SYST::get_current();
        cortex_m::asm::delay(500);
        let took = before - SYST::get_current();
        if took >= 500 { Ok(()) } else { Err("it is shorter") }
    }

    #[test]
    #[should_panic]
    fn time_does_not_stand_still() {
        let before = SYST::get_current();
        cortex_m::asm::nop();
        assert_eq!(SYST::get_current(), before);
    }

    #[test]
    #[ignore = "it fails: to see how that is told"]
    fn it_is_told_what_failed() {
        assert_eq!(TICKS.load(Ordering::Relaxed), 7, "seven ticks at the start");
    }

    #[test]
    #[ignore = "it fails: to see how that is told"]
    fn an_access_to_nothing_is_told() {
        // SAFETY: nothing is there, so that nothing is read.
        let _ = unsafe { core::ptr::read_volatile(0x4800_0000 as *const u32) };
    }

    #[test]
    #[ignore = "it fails: to see how that is told"]
    #[timeout(1)]
    fn what_never_ends_is_told() {
        loop {
            cortex_m::asm::wfi();
        }
    }
}
